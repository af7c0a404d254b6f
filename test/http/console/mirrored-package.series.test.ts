// Tests the pages of a package of another registry, as the shipped program shows them.

import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startManagedRegistry, type ManagedRegistry } from '../../util/managed-registry.ts';
import { below, libraryTree, writeTree } from '../../util/package-tree.ts';
import { zipOf, type EntrySpec } from '../../util/hostile-zip.ts';
import { archiveFor } from '../../util/mirroring-registry.ts';
import { openContext } from '../../util/browser.ts';
import { itInSeries } from '../../util/series.ts';
import { createBrowser, type TestBrowser } from '../../util/running-console.ts';
import { startUpstream, type TestUpstream } from '../../util/upstream.ts';

const agent = new Agent();
let upstream: TestUpstream;
let registry: ManagedRegistry;
let browser: TestBrowser;
let token = '';

beforeAll(async () => {
  [upstream, registry] = await Promise.all([
    startUpstream(),
    startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } }),
  ]);
  writeTree(registry.folder.path, below('packages/acme/app', libraryTree('acme/app', { version: '1.0.0' })));
  await registry.cli('build', 'packages');
  const mirroring = { url: upstream.url, enabled: true, licenses: ['MIT'], license_rule: 'refuse' };
  expect((await registry.api('PATCH', '/api/settings', { mirroring })).status).toBe(200);
  token = await createToken(registry);
  browser = createBrowser(agent, registry.url());
  browser.cookies.set(`libretto-session-${new URL(registry.url()).port}`, registry.session);
  await installFiles();
});
afterAll(async () => {
  await agent.close();
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

it('a mirrored package has a page with its versions, and a row with the version as people write it, and no request to the other registry', async () => {
  const said = {
    advisoryId: 'PKSA-1',
    packageName: 'some/lib',
    affectedVersions: '<1.1.0',
    title: 'Opens <every> door',
    reportedAt: '2026-01-01T00:00:00+00:00',
    sources: [{ name: 'x', remoteId: 'GHSA-1' }],
    severity: 'high',
  };
  const beside = {
    'security-advisories': [said],
    filter: { malware: [{ constraint: '1.0.0 || 0.9.0', reason: 'Steals keys' }] },
  };
  const releases = [
    {
      version: '1.0.0',
      zip: archiveFor('1.0.0'),
      extra: { description: 'A library of others.', homepage: 'javascript:a' },
    },
    { version: '1.1.0', zip: archiveFor('1.1.0') },
    { version: '1.2.0', zip: archiveFor('1.2.0'), extra: { license: ['GPL-3.0-only'] } },
    { version: '0.9.0', zip: archiveFor('0.9.0') },
  ];
  upstream.put('some/lib', releases, beside);
  expect((await registry.api('PATCH', '/api/settings', { statistics: { by: 'token' } })).status).toBe(200);
  await installFrom(registry.url(), token, 'some/lib', '1.0.0');

  const asked = upstream.server.requests.length;
  const { status, text, html } = await browser.get('/packages/some/lib');
  expect([status, text]).toEqual([200, expect.stringContaining('some/lib')]);
  expect(text).toMatch(/malware in 2 versions mirrored/);
  expect(text).toMatch(
    /Archive stored 1\.1\.0 \d+ years ago .* not yet 1\.0\.0 malware high Opens <every> door PKSA-1 Steals keys malware Fixed in 1\.1\.0 \d+ years ago .*just now/,
  );
  expect(text).not.toMatch(/1\.2\.0 \d+ years/);
  expect(text).toContain(upstream.url);
  expect(text).toContain('1 version by licence . The newest is 1.2.0: its licence GPL-3.0-only is not allowed.');
  expect(html).toContain('href="../../mirror/some/lib"');
  expect(html).not.toContain('javascript:');
  expect((await browser.get('/packages/other/lib')).status).toBe(404);
  const versions = await browser.get('/packages/some/lib/versions');
  expect([versions.status, String(versions.headers['location'])]).toEqual([303, '../../../packages/some/lib']);
  expect((await browser.get('/packages/other/lib/versions')).status).toBe(404);
  expect((await browser.get('/packages')).html).toMatch(/some\/lib<.*<code class="whole">1\.1\.0<\/code>/s);
  const row = /some\/lib malware in 2 versions mirrored/;
  await expect.poll(async () => (await browser.get('/packages')).text).toMatch(row);
  expect((await browser.get('/packages?state=advisory')).text).toMatch(/1 package of 3 .*some\/lib malware/);
  const mirror = await browser.get('/mirror');
  expect(mirror.text).toMatch(/some\/lib 1\.0\.0 : it is malware, and no rule .*some\/lib malware in 2 versions/);
  // nobody fetched it yet
  expect(mirror.text).toContain('some/lib 0.9.0 : it is malware');
  expect(mirror.text).not.toContain('No trouble with other registries');
  expect((await browser.get('/packages/some/lib/why?version=1.0.0')).text).toMatch(/malware high Opens .*Held back/);
  expect((await browser.get('/packages/some/lib/why?version=1.1.0')).text).not.toContain('malware');
  expect((await browser.get('/packages/some/lib/files')).text).toContain('A list names this version as malware.');
  const used = await browser.get('/packages/some/lib/usage?constraint=1.0.*');
  expect(used.text).toMatch(/Used by 1 token .*a reader ada@example\.org 1\.0\.0 malware 1\.1\.0 \d{4}-\d\d-\d\d 1 0/);
  const security = await browser.get('/security');
  expect(security.text).toMatch(/1 version is malware.*some\/lib 1\.0\.0 mirrored malware high Opens <every> door/);
  expect((await browser.get('/search?q=PKSA-1')).html).toContain('packages/some/lib"');
  expect(security.text).toMatch(/malware, still served 1\.1\.0 \d{4}-\d\d-\d\d, a reader/);
  const exposures = (await registry.api('GET', '/api/exposures')).json as { data: unknown[] };
  expect(exposures.data).toMatchObject([
    { package: 'some/lib', origin: 'mirrored', version: '1.0.0', malware: true, fixed_in: '1.1.0', tokens: 1 },
  ]);
  expect((await registry.cli('usage', 'some/lib')).stdout).toContain('malware, fixed in 1.1.0');
  expect(text).toContain('composer require -n some/lib:1.1.0');
  expect(upstream.server.requests).toHaveLength(asked);
});

itInSeries(
  'people look into stored archives of mirrored packages: files, README, differences; and nothing is fetched for it',
  async () => {
    const visit = (page: string) => browser.get(`/packages/some/files${page}`);
    const asked = upstream.server.requests.length;

    const { html } = await visit('');
    expect(html).toContain('some/files/files?version=1.0.1"');
    expect(html).not.toContain('some/files/files?version=1.0.2"');
    expect(html).toContain('<img src="../../packages/some/files/raw?version=1.0.1&amp;path=art%2Flogo.png" alt="Logo"');
    expect(html).not.toContain('<script>alert');
    expect((await visit('/files')).text).toMatch(/1\.0\.1 .*many 20.000 .*bomb\.txt/);
    expect((await visit('/files?version=1.0.2')).status).toBe(404);
    const file = await visit(`/files?path=${encodeURIComponent(`src/${image}.php`)}`);
    expect(file.text).toContain(`<?php // ${script}`);
    const changed = await visit(`/compare?from=1.0.0&to=1.0.1&file=${encodeURIComponent(`src/${image}.php`)}`);
    expect(changed.text).toMatch(/2 removed \$vat = 0.* 2 added \$vat = 1/);
    for (const { html: page } of [file, changed]) expect(page).not.toMatch(/<script>alert|<img src=x/);
    expect((await visit('/compare?from=1.0.0&to=1.0.1')).text).toContain('bomb.txt added');
    expect((await visit('/files?path=bomb.txt')).text).toContain('more than 4 MiB');
    expect((await visit('/files?path=line.js')).html.length).toBeLessThan(20_000);
    expect((await visit('/raw?path=page.svg')).headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': expect.stringContaining('sandbox; default-src'),
    });
    expect(upstream.server.requests).toHaveLength(asked);

    await registry.cli('package', 'purge', 'some/files', '1.0.1', '--reason', 'secret', '--yes');
    expect((await visit('/files?version=1.0.1')).status).toBe(404);
  },
);

itInSeries(
  'malware that nobody has fetched is marked in the lists, which name it while a rule blocks all of it',
  async () => {
    const filter = { malware: [{ constraint: '*', reason: 'MAL-2026-10: Steals keys' }] };
    const extra = { require: { php: '>=8.1' } };
    upstream.put('some/bad', [{ version: '1.0.0', zip: archiveFor('1.0.0'), extra }], { filter });
    const headers = { authorization: `Bearer ${token}` };
    const answer = await request(`${registry.url()}/p2/some/bad.json`, { headers });
    await answer.body.dump();
    await expect.poll(async () => (await browser.get('/packages?state=advisory')).text).toMatch(/some\/bad malware/);
    await expect.poll(async () => (await browser.get('/mirror')).text).toContain('some/bad 1.0.0 : it is malware');

    const rules = [{ name: 'no-malware', rule: 'filter', lists: ['malware'], action: 'block' }];
    expect((await registry.api('PUT', '/api/policy', { rules })).status).toBe(200);
    const rule = '1 version is left out by the rule no-malware';
    await expect.poll(async () => (await browser.get('/packages/some/bad')).text).toContain(rule);
    const { text: blocked } = await browser.get('/packages/some/bad');
    expect(blocked).toContain('malware 1.0.0, blocked blocked mirrored');
    expect(blocked).toMatch(/ 1\.0\.0 malware .* \d+ years ago MIT php >=8\.1 not yet/);
    const page = await browser.get('/packages/some/bad');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Newest version offered none')]);
    expect(page.html).not.toContain('composer require');
    const advised = await browser.get('/packages?state=advisory');
    expect(advised.text).toMatch(/some\/bad malware 1\.0\.0, blocked blocked mirrored none library/);
    for (const list of ['/packages?q=some/bad', '/search?q=bad'])
      expect((await browser.get(list)).html).toContain('packages/some/bad"');
    expect((await registry.api('PUT', '/api/policy', { rules: [] })).status).toBe(200);
  },
);

itInSeries('the versions of a mirrored package fit their column on every screen', async () => {
  const names = ['symfony/deprecation-contracts', 'averylongvendorname/averylongpackagenamewithouthyphens', 'psr/log'];
  const extra = { license: ['MIT'], require: Object.fromEntries(names.map((name) => [name, '^1.0 || ^2.0 || ^3.0'])) };
  upstream.put('some/wide', [{ version: '1.0.0', zip: archiveFor('1.0.0'), extra }]);
  await installFrom(registry.url(), token, 'some/wide', '1.0.0');
  const context = await openContext();
  const name = `libretto-session-${new URL(registry.url()).port}`;
  await context.addCookies([{ name, value: registry.session, url: registry.url() }]);
  const page = await context.newPage();
  for (const width of [1280, 1000, 768, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${registry.url()}/ui/packages/some/wide`);
    const fits = `document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('table')]
      .every((one) => one.getBoundingClientRect().right <= one.parentElement.getBoundingClientRect().right + 1)`;
    expect([width, await page.evaluate(fits)]).toEqual([width, true]);
  }
  await context.close();
});

const script = '<script>alert(1)</script>';
const image = '<img src=x onerror=alert(1)>';

/** A package with files, two archives of which are stored then. */
async function installFiles(): Promise<void> {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const zip = (version: string, ...more: readonly EntrySpec[]): Buffer =>
    zipOf([
      { name: 'lib-1/composer.json', data: JSON.stringify({ name: 'some/files' }) },
      { name: 'lib-1/README.md', data: `# ${version}\n\n![Logo](art/logo.png) ${script}\n` },
      { name: 'lib-1/art/logo.png', data: png },
      { name: `lib-1/src/${image}.php`, data: `<?php // ${script}\n$vat = ${version.at(-1)};\n` },
      ...more,
    ]);
  const bomb = [
    { name: 'lib-1/bomb.txt', data: Buffer.alloc(50_000_000) },
    { name: 'lib-1/line.js', data: 'x'.repeat(1_000_000) },
    { name: 'lib-1/page.svg', data: '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>' },
    ...Array.from({ length: 20_000 }, (_, at) => ({ name: `lib-1/many/${at}.txt`, data: 'x', stored: true })),
  ];
  upstream.put('some/files', [
    { version: '1.0.0', zip: zip('1.0.0') },
    { version: '1.0.1', zip: zip('1.0.1', ...bomb) },
    { version: '1.0.2', zip: zip('1.0.2') },
  ]);
  for (const version of ['1.0.0', '1.0.1']) await installFrom(registry.url(), token, 'some/files', version);
}

async function createToken({ api }: Awaited<ReturnType<typeof startManagedRegistry>>): Promise<string> {
  const { json } = await api('POST', '/api/tokens', { description: 'a reader', kind: 'read' });
  return String(json['token']);
}

/** Fetches a document and an archive, as Composer does. */
async function installFrom(url: string, token: string, name: string, version: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const document = await request(`${url}/p2/${name}.json`, { headers });
  expect(document.statusCode).toBe(200);
  const { packages } = (await document.body.json()) as {
    packages: Record<string, Record<string, { version: string; dist: { url: string } }>>;
  };
  const found = Object.values(packages[name] ?? {}).find((one) => one.version === version);
  const archive = await request(new URL(found?.dist.url ?? '', url), { headers });
  await archive.body.dump();
  expect(archive.statusCode).toBe(200);
}
