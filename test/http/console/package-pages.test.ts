// Tests the pages about packages, as a person in a browser gets them from the shipped program.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { createRepository } from '../../util/git-repository.ts';
import { startManagedRegistry, type ManagedRegistry } from '../../util/managed-registry.ts';
import { below, libraryTree, writeTree } from '../../util/package-tree.ts';
import { openElements } from '../../util/page-text.ts';
import { createBrowser, type PageReply, type TestBrowser } from '../../util/running-console.ts';
import { itInSeries } from '../../util/series.ts';

let registry: ManagedRegistry;
/** of the admin */
let browser: TestBrowser;
const agent = new Agent();

const password = 'correct horse battery staple';
const attack = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
const branch = 'x"><svg/onload=alert(1)>';

const composerJson = (fields: object): string =>
  JSON.stringify({ name: 'acme/billing', description: 'Invoices for shops.', license: 'MIT', ...fields });

const readme =
  '# Billing\n\nMakes **invoices**.\n\n[Manual](https://example.org/manual) ![logo](https://example.org/x.png)\n';

const hostile = {
  name: 'acme/hostile',
  version: '1.0.0',
  description: attack,
  type: 'library',
  license: 'MIT',
  keywords: [attack],
  homepage: 'javascript:alert(1)',
  abandoned: 'acme/billing',
  authors: [
    { name: attack, homepage: 'javascript:alert(1)' },
    { name: 'Eve', homepage: `https://evil.example/${attack}` },
  ],
  support: { issues: 'javascript:alert(1)', source: `https://evil.example/"onmouseover="alert(1)` },
  require: { 'acme/billing': '^1.0' },
  suggest: { 'acme/other': attack },
};

beforeAll(async () => {
  registry = await startManagedRegistry({
    sources: [
      { type: 'git', path: 'billing' },
      { type: 'directory', path: 'packages' },
    ],
    advisories: 'advisories.json',
  });
  const { folder } = registry;
  createRepository(folder.at('billing'), [
    ...['1.0.0', '1.1.0', '1.2.0'].flatMap((tag) => [
      {
        commit: 'main',
        files: {
          'composer.json': composerJson({ require: { php: '^8.2', 'acme/money': '^1.0', 'monolog/monolog': '^3' } }),
          'README.md': readme,
          'CHANGELOG.md': '# Changes\n\n- Rounds the VAT.\n',
          'src/a.php': `<?php // ${tag}`,
        },
      },
      { tag, at: 'main' },
    ]),
    { commit: branch, from: 'main', files: { 'src/b.php': '<?php' } },
  ]);
  writeTree(folder.path, {
    ...below('packages/acme/money', libraryTree('acme/money', { version: '1.4.0' })),
    ...below(
      'packages/acme/shop',
      libraryTree('acme/shop', { version: '1.0.0', require: { 'acme/billing': '1.2.0' } }),
    ),
    ...below('packages/acme/theme', libraryTree('acme/theme', { version: 'dev-main' })),
    ...below('packages/acme/broken', libraryTree('acme/broken', { version: '1.0.0', require: { 'acme/money': '!' } })),
    'packages/acme/hostile/composer.json': { json: hostile },
    'packages/acme/hostile/README.md': `${attack}\n\n[x](javascript:alert(1)) ![y](https://evil.example/y.png)\n`,
    'packages/acme/hostile/CHANGELOG.md': `# ${attack}\n`,
    'advisories.json': {
      json: [
        advisory('ACME-1', 'acme/billing', '<1.1', 'Invoices of others can be read', 'https://acme.example/1'),
        advisory('ACME-2', 'acme/hostile', '*', attack, 'javascript:alert(1)'),
      ],
    },
  });
  const built = await registry.cli('build');
  if (!built.stdout.includes('acme/billing')) throw new Error(`nothing was built: ${built.stdout}${built.stderr}`);
  browser = createBrowser(agent, registry.url());
  browser.cookies.set(`libretto-session-${new URL(registry.url()).port}`, registry.session);
});

afterAll(async () => {
  await agent.close();
  await registry[Symbol.asyncDispose]();
});

function advisory(advisoryId: string, packageName: string, affectedVersions: string, title: string, link: string) {
  const sources = [{ name: 'acme', remoteId: advisoryId }];
  return { advisoryId, packageName, affectedVersions, title, link, reportedAt: '2026-03-01T12:00:00+00:00', sources };
}

/** `path`: below /ui/packages. */
const visit = (path: string): Promise<PageReply> => browser.get(`/packages${path}`);
const send = (path: string, fields: Readonly<Record<string, string>>): Promise<PageReply> =>
  browser.post(`/packages${path}`, fields);

describe('the page of a package', () => {
  it('shows how to install it from this registry, its README, and where it comes from', async () => {
    const { status, text, html } = await visit('/acme/billing');
    expect(status).toBe(200);
    expect(text).toContain(`composer config -n repositories.libretto composer ${registry.url()}`);
    expect(text).toContain("composer require -n 'acme/billing:^1.2'");
    expect(text).toMatch(/From billing\b/);
    expect(text).toContain('Downloads None in the last 30 days');
    expect(text).toMatch(/Published just now by \w+ \(command line\)/);
    expect(html).toContain('Makes <strong>invoices</strong>.');
    expect(html).toContain('<a href="https://example.org/manual" rel="nofollow noopener noreferrer">');
    expect(html).not.toContain('<img');
    expect((await visit('/acme/theme')).text).toContain('composer require -n acme/theme:dev-main');
  });

  it('says of an unknown name that nothing is published, and leads to the reasons', async () => {
    const { status, html } = await visit('/acme/broken');
    expect(status).toBe(404);
    expect(html).toContain('packages/acme/broken/why"');
    expect((await visit('/acme/broken/why')).text).toContain('Left out by the last builds 1.0.0');
    expect((await visit('/acme/Not%20a%20name')).status).toBe(404);
  });

  it('lists releases and branches with what a person can do, and each has a page', async () => {
    const { text, html } = await visit('/acme/billing/versions');
    for (const version of ['1.2.0', '1.1.0', '1.0.0', 'dev-main']) expect(text).toContain(version);
    expect(html).toContain('billing/compare?from=1.1.0&amp;to=1.2.0');
    // what stands in the menu of a row
    expect(text).toContain(
      'Withdraw Files Compare with 1.1.0 Who uses it Why it is here composer require -n acme/billing:1.2.0',
    );
    expect((await visit('/acme/billing/versions?kind=development')).text).not.toContain('1.1.0');
    const one = await visit('/acme/billing/version?version=1.1.0');
    expect(one.text).toContain('composer require -n acme/billing:1.1.0');
    expect(one.text).toMatch(/SHA-1 of the archive [0-9a-f]{40}/);
    expect((await visit('/acme/billing/version?version=9.9')).status).toBe(404);
  });

  it('shows for each requirement where the package is', async () => {
    const { text, html } = await visit('/acme/billing/requires');
    expect(text).toContain('php ^8.2 platform acme/money ^1.0 published here monolog/monolog ^3 elsewhere');
    expect(html).toContain('packages/acme/money"');
    expect(html).not.toContain('packages/monolog');
  });

  it('shows who requires it, as a picture and as a list', async () => {
    const { text, html } = await visit('/acme/money/dependents?steps=2');
    expect(text).toContain('1 package of this registry');
    const picture = /<svg width.*?<\/svg>/s.exec(html)?.[0] ?? '';
    for (const name of ['acme/money', 'acme/billing', 'acme/shop']) expect(picture).toContain(`<title>${name}</title>`);
    expect((await visit('/acme/money/dependents')).html).not.toContain('<title>acme/shop</title>');
  });

  it('marks the published versions that an advisory is about', async () => {
    const { text } = await visit('/acme/billing/advisories');
    expect(text).toContain('<1.1 1 version 1.0.0');
    expect((await visit('/acme/billing')).text).toContain('advisory for other versions');
    expect((await visit('/acme/billing/version?version=1.0.0')).text).toContain(
      'Invoices of others can be read (<1.1)',
    );
    expect((await visit('/acme/billing/version?version=1.1.0')).text).not.toContain('Invoices of others');
    const marked = (await visit('/acme/billing/versions')).text;
    expect(marked).toMatch(/1\.0\.0 advisory/);
    expect(marked).not.toMatch(/1\.1\.0 advisory/);
    const list = await visit('');
    expect(list.text).toMatch(/acme\/billing advisory for other versions /);
    expect(list.text).toMatch(/acme\/hostile abandoned advisory (?!for)/);
  });

  it('explains a version and a constraint', async () => {
    expect((await visit('/acme/billing/why?version=1.1.0')).text).toContain('acme/billing 1.1.0 is published here.');
    expect((await visit('/acme/billing/why?version=9.0.0')).text).toContain('No source that was read has offered it.');
    const constraint = encodeURIComponent('^1.1');
    expect((await visit(`/acme/billing/why?version=${constraint}`)).text).toContain(
      '2 published versions satisfy ^1.1.',
    );
    expect((await visit('/acme/billing/why?version=!!')).text).toContain('neither a version nor a constraint');
  });

  it('counts downloads by day and by version', async () => {
    const { headers, statusCode } = await download('acme/billing', '1.1.0');
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/zip']);
    const { text } = await visit('/acme/billing/downloads');
    expect(text).toContain('1 download in total.');
    expect(text).toMatch(/1\.1\.0 1 1/);
    expect((await visit('/acme/billing')).text).toContain('1 in the last 30 days');
  });
});

/** Fetches the archive as Composer does. */
async function download(name: string, version: string) {
  const { json } = await registry.api('POST', '/api/tokens', { description: 'a reader', kind: 'read' });
  const authorization = `Bearer ${String(json['token'])}`;
  const document = await request(`${registry.url()}/p2/${name}.json`, { headers: { authorization } });
  const { packages } = (await document.body.json()) as {
    packages: Record<string, Record<string, { version: string; dist: { url: string } }>>;
  };
  const found = Object.values(packages[name] ?? {}).find((one) => one.version === version);
  const answer = await request(new URL(found?.dist.url ?? '', registry.url()), { headers: { authorization } });
  await answer.body.dump();
  return answer;
}

describe('a withdrawal on the page', () => {
  it('names what it breaks, asks for the password, withdraws, and restores', async () => {
    const question = await visit('/acme/billing/withdraw?version=1.2.0');
    expect(question.text).toContain('Withdraw acme/billing 1.2.0?');
    expect(question.text).toContain('acme/shop 1.0.0 requires 1.2.0 : nothing else satisfies it');

    const wrong = await send('/acme/billing/withdraw?version=1.2.0', { current_password: 'wrong' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('This is not your password.')]);
    expect((await visit('/acme/billing/versions')).text).not.toContain('withdrawn');

    const done = await send('/acme/billing/withdraw?version=1.2.0', { current_password: password });
    expect([done.status, done.headers['location']]).toEqual([
      303,
      expect.stringContaining('/billing/versions?notice=withdrawn'),
    ]);
    const versions = await visit('/acme/billing/versions');
    expect(versions.text).toContain('1.2.0 withdrawn just now by you');
    expect(versions.html).toContain('billing/restore?version=1.2.0');
    expect((await visit('/acme/billing')).text).toContain("'acme/billing:^1.1'");

    const back = await send('/acme/billing/restore?version=1.2.0', { current_password: password });
    expect([back.status, back.headers['location']]).toEqual([
      303,
      expect.stringContaining('/billing/versions?notice=restored'),
    ]);
    expect((await visit('/acme/billing')).text).toContain("'acme/billing:^1.2'");
  });

  itInSeries('and its return leave the moment of the release as it was', async () => {
    const released = async () => /<time datetime="[^"]*"/.exec((await visit('/acme/money/versions')).html)?.[0];
    const before = await released();
    for (const page of ['withdraw', 'restore'])
      expect((await send(`/acme/money/${page}?version=1.4.0`, { current_password: password })).status).toBe(303);
    expect((await visit('/acme/money/versions')).text).toContain('1.4.0 latest');
    expect([before?.length, await released()]).toEqual([expect.any(Number), before]);
  });

  it('is refused for a version that is not published, or was not withdrawn', async () => {
    expect((await visit('/acme/billing/withdraw?version=9.9')).status).toBe(404);
    expect((await visit('/acme/billing/restore?version=1.1.0')).status).toBe(404);
  });
});

describe('texts that a package controls', () => {
  it('stay text on every page', async () => {
    const tabs = ['', '/versions', '/version?version=1.0.0', '/requires', '/dependents', '/downloads', '/changelog'];
    const pages = [
      ...[...tabs, '/advisories', '/why', '/withdraw?version=1.0.0'].map((page) => `/acme/hostile${page}`),
      `/acme/hostile/why?version=${encodeURIComponent(attack)}`,
      `/acme/billing/version?version=${encodeURIComponent(`dev-${branch}`)}`,
      '/acme/billing/versions',
      '/acme/billing/dependents',
      '',
    ];
    for (const path of pages) {
      const { html, status } = await visit(path);
      expect([path, status < 500]).toEqual([path, true]);
      for (const { name, attributes } of openElements(html)) {
        if (name === 'script') expect(attributes.get('src')).toMatch(/^(?:\.\.\/)*assets\/[0-9a-f]+\/script\.js$/);
        expect(['img', 'iframe', 'object', 'embed', 'base', 'style']).not.toContain(name);
        for (const [attribute, value] of attributes) {
          expect(attribute).not.toMatch(/^on|^style$/);
          if (['href', 'src', 'action'].includes(attribute))
            expect(value).not.toMatch(/^\s*(?:javascript|data|vbscript):/i);
        }
      }
    }
    const { text } = await visit('/acme/hostile');
    expect(text).toContain(attack);
    expect(text).toContain(`Keywords ${attack}`);
  });
});
