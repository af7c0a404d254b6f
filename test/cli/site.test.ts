// Tests the static catalogue with the shipped program: `libretto build --site` and `libretto site`.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attack, cataloguePackages } from '../util/catalogue-packages.ts';
import { filesBelow } from '../util/files-below.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, startCli } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

let registry: TemporaryTree;
const libretto = (...args: readonly string[]) => runCli(args, { cwd: registry.root });
const page = (path: string): string => readFileSync(registry.path('site', path), 'utf8');
/** path → bytes of every file of the catalogue */
const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesBelow(registry.path(folder)).map((path) => [
      relative(registry.path(folder), path),
      readFileSync(path, 'latin1'),
    ]),
  );
/** path → what a rewritten file would change */
const stampsOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesBelow(registry.path(folder)).map((path) => {
      const { ino, mtimeNs } = statSync(path, { bigint: true });
      return [relative(registry.path(folder), path), `${ino} ${mtimeNs}`];
    }),
  );
const changedPages = (before: Readonly<Record<string, string>>): readonly string[] => {
  const after = stampsOf('site');
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...all].filter((path) => before[path] !== after[path] && path.endsWith('.html')).toSorted();
};

beforeAll(async () => {
  registry = temporaryTree(cataloguePackages);
  const built = await libretto('build', '--data', 'data', '--site', 'site', '--json');
  expect(built).toMatchObject({ exitCode: 0, stderr: '' });
  const { site } = JSON.parse(built.stdout) as { readonly site: unknown };
  expect(site).toMatchObject({ directory: registry.path('site'), serial: 1, packages: 57, removed: 0 });
});
afterAll(() => registry.remove());

describe('the pages of a package', () => {
  it('show what a reader needs', () => {
    const overview = page('packages/acme/billing/index.html');
    expect(overview).toContain('composer config -n repositories.libretto composer https://packages.example.org');
    expect(overview).toContain('composer require -n &#39;acme/billing:^2.4&#39;');
    expect(overview).toContain('<strong>dunning</strong>');
    expect(overview).toContain('Grace Hopper');
    expect(page('packages/acme/billing/requires/index.html')).toContain('other/library');
    expect(page('packages/acme/billing/changelog/index.html')).toContain('Rounds taxes by line.');
    expect(page('packages/acme/billing/advisories/index.html')).toContain('Invoices without taxes');
    expect(page('packages/acme/core/dependents/index.html')).toContain('acme/billing');
    expect(page('packages/acme/old/index.html')).toMatch(
      /This package is abandoned\. Use <a href="[^"]*core\/index\.html">acme\/core<\/a> instead\./,
    );
  });

  it('list releases and branches with the checksums that Composer gets', () => {
    const document = JSON.parse(readFileSync(registry.path('data/public/p2/acme/billing.json'), 'utf8')) as {
      readonly packages: Readonly<
        Record<string, Readonly<Record<string, { readonly dist: { readonly shasum: string } }>>>
      >;
    };
    const versions = page('packages/acme/billing/versions/index.html');
    for (const { dist } of Object.values(document.packages['acme/billing'] ?? {}))
      expect(versions).toContain(dist.shasum);
    expect(page('packages/acme/core/versions/index.html')).toMatch(/Releases.*1\.2\.0.*Branches.*dev-/s);
  });

  it('have no texts of a package as elements', () => {
    const pages = filesBelow(registry.path('site')).filter((path) => path.endsWith('.html'));
    for (const path of pages) {
      const html = readFileSync(path, 'utf8');
      expect(html).not.toMatch(
        /<script(?! defer="" src=")|<img|<style|<[a-z][^>]*\s(?:on\w+=|style=|href="javascript:)/,
      );
    }
    expect(page('packages/acme/hostile/index.html')).toContain('&lt;script&gt;');
    expect(page('assets/packages.js')).toContain(JSON.stringify(attack));
  });

  itInSeries('are told which setting has the address of the registry', async () => {
    registry.write({ 'none.json': '{}' });
    const written = await libretto('site', 'no-address', '--data', 'data', '--config', 'none.json');
    expect(written).toMatchObject({ exitCode: 0 });
    const overview = readFileSync(registry.path('no-address/packages/acme/billing/index.html'), 'utf8');
    expect(overview).toContain('set <code>publicUrl</code> in');
    expect(overview).not.toContain('repositories.libretto');
  });
});

describe('the list of packages', () => {
  it('has every package once, in pages of fifty', () => {
    const names = (path: string) => [...page(path).matchAll(/class="main-link">([^<]+)</g)].map(([, name]) => name);
    expect(names('index.html')).toHaveLength(50);
    expect(new Set([...names('index.html'), ...names('page-2.html')]).size).toBe(57);
    expect(page('index.html')).toContain('<h1>Packages of Acme</h1>');
    expect(page('index.html')).toContain('It shows every package to everyone who can open it.');
  });

  it('calls malware so, and does not recommend it as new', () => {
    const [, news = '', rows = ''] = /<h2>New<\/h2>(.*?)<h2>.*(<table.*)/s.exec(page('index.html')) ?? [];
    expect(news).toContain('acme/billing');
    expect(news).not.toContain('acme/hostile');
    expect(rows).toMatch(/acme\/hostile<\/a>(?:(?!<\/tr>).)*malware/s);
    expect(page('assets/packages.js')).toMatch(/"name":"acme\/hostile".*"advisory":"latest","malware":true/);
  });
});

describe('links', () => {
  it('lead to files of the catalogue and to places in them, or to the web', () => {
    const site = registry.path('site');
    const faults = filesBelow(site)
      .filter((path) => path.endsWith('.html'))
      .flatMap((path) =>
        linksIn(path)
          .filter((link) => !leadsSomewhere(path, link))
          .map((link) => `${path}: ${link}`),
      );
    expect(faults).toEqual([]);
  });

  const linksIn = (path: string): readonly string[] =>
    [...readFileSync(path, 'utf8').matchAll(/\s(?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => link);

  function leadsSomewhere(from: string, link: string): boolean {
    if (/^https?:\/\/elsewhere\.example\//.test(link)) return true;
    if (/^[a-z]+:|^\//i.test(link)) return false;
    const [way = '', fragment] = link.split('#');
    const target = way === '' ? from : join(dirname(from), way);
    if (relative(registry.path('site'), target).startsWith('..') || !existsSync(target)) return false;
    return fragment === undefined || readFileSync(target, 'utf8').includes(` id="${decodeURIComponent(fragment)}"`);
  }
});

describe('writing again', () => {
  itInSeries('gives the same bytes elsewhere, without a path of this machine', async () => {
    expect(await libretto('site', 'other/site', '--data', 'data')).toMatchObject({ exitCode: 0 });
    const files = filesOf('other/site');
    expect(files).toEqual(filesOf('site'));
    expect(Object.entries(files).filter(([, content]) => content.includes(registry.root))).toEqual([]);
  });

  itInSeries('writes nothing if nothing changed', async () => {
    const before = stampsOf('site');
    const again = await libretto('site', 'site', '--data', 'data');
    expect(again.stdout).toBe(`Catalogue of 57 packages in ${registry.path('site')}: unchanged.`);
    expect(stampsOf('site')).toEqual(before);
  });

  itInSeries('writes a lost page again', async () => {
    const lost = registry.path('site/packages/acme/old/index.html');
    const html = readFileSync(lost, 'utf8');
    rmSync(lost);
    expect(await libretto('site', 'site', '--data', 'data')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(lost, 'utf8')).toBe(html);
  });

  it('writes the pages of a changed package and of the packages that name it, and removes those of a removed one', async () => {
    const before = stampsOf('site');
    registry.write(
      below('packages/billing-2.5.0', whoLibrary('acme/billing', '2.5.0', { require: { 'acme/core': '^1.0' } })),
    );
    registry.delete('packages/old');
    const built = await libretto('build', '--data', 'data', '--site', 'site', '--allow-withdraw');
    expect(built).toMatchObject({ exitCode: 0, stderr: '' });
    const billing = ['', 'advisories/', 'changelog/', 'dependents/', 'requires/', 'versions/'];
    expect(changedPages(before)).toEqual([
      'index.html',
      ...billing.map((tab) => `packages/acme/billing/${tab}index.html`).toSorted(),
      'packages/acme/core/dependents/index.html',
      ...['dependents/', '', 'requires/', 'versions/'].map((tab) => `packages/acme/old/${tab}index.html`),
      'page-2.html',
    ]);
    expect(existsSync(registry.path('site/packages/acme/old'))).toBe(false);
    expect(page('packages/acme/billing/versions/index.html')).not.toContain('withdrawn');
  });

  itInSeries('completes what a killed run began', async () => {
    do {
      registry.delete('killed');
      const running = startCli(['site', 'killed', '--data', 'data', '--verbose'], { cwd: registry.root });
      await running.shows(/Wrote pages: acme/);
      running.signal('SIGKILL');
      await running.ended;
    } while (readFileSync(registry.path('killed/.libretto-site/record.json'), 'utf8').includes('"complete": true'));
    const pages = filesBelow(registry.path('killed')).filter((path) => path.endsWith('.html'));
    for (const path of pages) expect(readFileSync(path, 'utf8')).toMatch(/^<!doctype html>.*<\/html>\n$/s);
    const left = registry.path('killed/packages/acme/gone/index.html.2b5a3b3e-0000-4000-8000-000000000000.partial');
    mkdirSync(dirname(left), { recursive: true });
    writeFileSync(left, '<!doct');
    expect(await libretto('site', 'killed', '--data', 'data')).toMatchObject({ exitCode: 0 });
    expect(filesOf('killed')).toEqual(filesOf('site'));
  });
});

describe('a folder that is not for a catalogue is refused, and stays as it is', () => {
  const refused: readonly (readonly [name: string, folder: string, words: string])[] = [
    ['the tree', 'data/public', 'belongs to the registry'],
    ['a folder in the tree', 'data/public/site', 'belongs to the registry'],
    ['the index', 'data/index', 'belongs to the registry'],
    ['keys', 'data/keys/site', 'belongs to the registry'],
    ['a link to the tree', 'link/site', 'belongs to the registry'],
    ['the data folder', 'data', 'would show the data folder'],
    ['a folder around it', '.', 'would show the data folder'],
    ['the root', '/', 'Name a folder of its own'],
    ['a folder with other files', 'packages', 'has files that Libretto did not write'],
    ['a file', 'libretto.json', 'is a file'],
  ];

  beforeAll(() => symlinkSync(registry.path('data/public'), registry.path('link')));

  it.each(refused)('%s', async (_, folder, words) => {
    const before = stampsOf('.');
    const { exitCode, stderr } = await libretto('site', folder, '--data', 'data');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stampsOf('.')).toEqual(before);
  });

  itInSeries('before a build publishes', async () => {
    registry.write(below('packages/late', whoLibrary('acme/late', '1.0.0')));
    const before = stampsOf('.');
    const { exitCode, stderr } = await libretto('build', '--site', 'data/public', '--data', 'data');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('belongs to the registry')]);
    expect(stampsOf('.')).toEqual(before);
    registry.delete('packages/late');
  });

  itInSeries('without a name, the command says where to write it', async () => {
    const { exitCode, stderr } = await libretto('site', '--data', 'data');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('`site` in libretto.json')]);
  });

  it('before the first publication there is nothing to write', async () => {
    registry.write({ 'new/keys/some': '' });
    const { exitCode, stderr } = await libretto('site', 'site', '--data', 'new');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Nothing is published')]);
  });
});

describe('a damaged tree', () => {
  it('leaves the catalogue as it is', async () => {
    const document = registry.path('data/public/p2/acme/hostile.json');
    const bytes = readFileSync(document);
    writeFileSync(document, bytes.subarray(0, 100));
    const before = stampsOf('site');
    const { exitCode, stderr } = await libretto('site', 'site', '--data', 'data');
    writeFileSync(document, bytes);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('acme/hostile')]);
    expect(stampsOf('site')).toEqual(before);
  });
});

describe('what only people of the registry may know', () => {
  it('stays out of the catalogue: withdrawn versions, and the places of sources', async () => {
    const withdrawn = await libretto('package', 'withdraw', 'acme/billing', '2.0.0', '--data', 'data');
    expect(withdrawn).toMatchObject({ exitCode: 0 });
    expect(await libretto('site', 'site', '--data', 'data')).toMatchObject({ exitCode: 0 });
    const versions = page('packages/acme/billing/versions/index.html');
    expect(versions).toContain('2.4.0');
    expect(versions).not.toMatch(/2\.0\.0|withdrawn/);
    expect(page('packages/acme/billing/index.html')).toContain('<dt>Reference</dt>');
    expect(page('packages/acme/billing/index.html')).not.toMatch(/<dt>From<\/dt>|>\.*\/?packages</);
  });
});

itInSeries('has the name and the colour that people gave the registry, until they take them back', async () => {
  const before = filesOf('site');
  const set = (...rest: readonly string[]) => libretto('settings', ...rest, '--data', 'data');
  await set('set', 'branding.name', 'Acme & Co');
  await set('set', 'branding.color', 'teal');
  expect(await libretto('site', 'site', '--data', 'data')).toMatchObject({ exitCode: 0 });
  for (const path of ['index.html', 'packages/acme/billing/index.html'])
    expect(page(path)).toMatch(/<html lang="en" data-color="teal">.* · Acme &amp; Co<\/title>/);
  expect(page('index.html')).toContain('<h1>Acme &amp; Co</h1>');
  await set('unset', 'branding.name');
  await set('unset', 'branding.color');
  await libretto('site', 'site', '--data', 'data');
  expect(filesOf('site')).toEqual(before);
});
