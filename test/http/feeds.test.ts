// Tests the Atom feeds over HTTP on a tree that the real builder built in two publications. What a limited token sees
// is in feeds-of-views.test.ts.

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { entriesIn, fieldOf, titlesIn } from '../util/atom.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';
import { lacks, toolPath } from '../util/tool.ts';

const hostile = '</summary><script>alert("1")</script> & ]]> &amp; \u0000\u0008\u001b\ufffe <!--';
const authors = [
  { name: 'A & <b>', email: 'a@example.org', homepage: 'https://example.org/?a=1&b=2' },
  { name: '\u0007"/><x y=\'', email: 'no address', homepage: 'javascript:alert(1)' },
  { email: 'only@example.org', homepage: 'https://example.org/"><x>' },
  { homepage: 'https://example.org/' },
];

let registry: RunningManagement;
let sources: TemporaryTree;
let reader: string;

const build = async (tree: Parameters<TemporaryTree['write']>[0]): Promise<void> => {
  sources.write(tree);
  const { exitCode, stderr } = await runCli(['build', 'src', '--data', registry.data], { cwd: sources.root });
  if (exitCode !== 0) throw new Error(stderr);
};

let nowMs = Date.now();
beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
  reader = await registry.createToken('read');
  sources = temporaryTree();
  await build({
    ...below('src/core-1', libraryTree('acme/core', { version: '1.0.0' })),
    ...below('src/core-2', libraryTree('acme/core', { version: '1.1.0-beta2' })),
    ...below('src/core-dev', libraryTree('acme/core', { version: 'dev-main' })),
    ...below('src/branch', libraryTree('zoo/branch', { version: 'dev-main' })),
  });
  await build({
    ...below('src/core-3', libraryTree('acme/core', { version: '1.2.0' })),
    ...below(
      'src/hostile',
      libraryTree('zoo/hostile', {
        version: '1.0.0',
        type: 'composer-plugin',
        description: hostile,
        keywords: ['<kw>', 'two'],
        authors,
      }),
    ),
  });
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

const all = '/feeds/releases.atom';
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  registry.proxy.get(path, { authorization: `Bearer ${reader}`, ...headers }, method);
const titles = async (path: string): Promise<readonly string[]> => titlesIn(String((await get(path)).body));
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code']];

describe('the feed of all packages', () => {
  it('has all versions but dev versions, the last publication first', async () => {
    expect(await titles(all)).toEqual([
      'acme/core 1.2.0',
      'zoo/hostile 1.0.0',
      'acme/core 1.1.0-beta2',
      'acme/core 1.0.0',
    ]);
  });

  it('has the versions of the asked stability', async () => {
    expect(await titles(`${all}?stability=dev`)).toHaveLength(6);
    expect(await titles(`${all}?stability=alpha`)).toEqual(await titles(all));
    for (const stability of ['stable', 'RC', 'rc'])
      expect(await titles(`${all}?stability=${stability}`), stability).toEqual([
        'acme/core 1.2.0',
        'zoo/hostile 1.0.0',
        'acme/core 1.0.0',
      ]);
    for (const path of [all, '/feeds/acme/core.atom', '/feeds/acme/none.atom'])
      for (const stability of ['', 'stabel', 'dev%00'])
        expect((await get(`${path}?stability=${stability}`)).json(), stability).toMatchObject({
          code: 'INVALID_INPUT',
          error: 'stability must be stable, RC, beta, alpha or dev.',
        });
  });

  it('has dates and ids that are those of the publication and of the version', async () => {
    const text = String((await get(all)).body);
    const entries = entriesIn(text);
    const dates = entries.map((entry) => fieldOf(entry, 'published'));
    expect(dates).toEqual(dates.toSorted().toReversed());
    expect(fieldOf(text, 'updated')).toBe(dates[0]);
    expect(entries.map((entry) => fieldOf(entry, 'updated'))).toEqual(dates);
    expect(new Set(entries.map((entry) => fieldOf(entry, 'id'))).size).toBe(4);
    // Python: uuid.uuid5(uuid.NAMESPACE_URL, 'pkg:composer/acme/core@1.2.0.0')
    expect(fieldOf(entries[0] ?? '', 'id')).toBe('urn:uuid:a0d80efe-00fd-5669-a86d-b0cffb193ba1');
  });
});

it('has the name of the registry, as it is now', async () => {
  const { settings } = registry.services;
  const named = async (): Promise<unknown> => {
    const { body } = await get(all);
    return [fieldOf(String(body), 'title'), /<author><name>(.*?)<\/name>/.exec(String(body))?.[1]];
  };
  expect(await named()).toEqual(['New versions · Libretto', 'Libretto']);
  await settings.update({ 'branding.name': 'Acme & Co' }, 'cli:test');
  expect(await named()).toEqual(['New versions · Acme &amp; Co', 'Acme &amp; Co']);
  await settings.update({ 'branding.name': null }, 'cli:test');
});

describe('the feed of a package', () => {
  it('has the versions of this package, in any spelling of its name', async () => {
    const expected = ['acme/core 1.2.0', 'acme/core 1.1.0-beta2', 'acme/core 1.0.0'];
    expect(await titles('/feeds/acme/core.atom')).toEqual(expected);
    expect(await titles('/feeds/Acme/Core.atom')).toEqual(expected);
    expect(await titles('/feeds/acme/core.atom?stability=dev')).toHaveLength(4);
    expect(await titles('/feeds/zoo/branch.atom')).toEqual([]);
    expect(fieldOf(String((await get('/feeds/zoo/branch.atom')).body), 'updated')).toBe('1970-01-01T00:00:00.000Z');
  });

  it('is 404 for an unknown package and for other paths', async () => {
    const paths = [
      '/feeds/acme/none.atom',
      '/feeds/acme.atom',
      '/feeds',
      '/feeds/a/b/c.atom',
      '/feeds/%61cme/core.atom',
    ];
    for (const path of paths) expect(codeOf(await get(path)), path).toEqual([404, 'NOT_FOUND']);
  });
});

describe('texts of a composer.json', () => {
  it('are escaped, without characters that XML forbids', async () => {
    const text = String((await get('/feeds/zoo/hostile.atom')).body);
    expect(text).toContain(
      '<summary type="text">&lt;/summary&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; ]]&gt; &amp;amp;  &lt;!--</summary>',
    );
    expect(text).toContain(
      '<author><name>A &amp; &lt;b&gt;</name><uri>https://example.org/?a=1&amp;b=2</uri><email>a@example.org</email></author>',
    );
    expect(text).toContain('<author><name>&quot;/&gt;&lt;x y=&#39;</name></author>');
    expect(text).toContain('<author><name>only@example.org</name><email>only@example.org</email></author>');
    expect(text.match(/<author>/g)).toHaveLength(4);
    for (const term of ['composer-plugin', '&lt;kw&gt;', 'two']) expect(text).toContain(`<category term="${term}"/>`);
    expect(text).not.toContain('javascript:');
  });

  it.skipIf(lacks('python3'))('are what an XML parser reads', async () => {
    const script = `import json, sys, xml.etree.ElementTree as tree
feed = tree.fromstring(sys.stdin.buffer.read())
texts = lambda path: [found.text for found in feed.findall(path, {'a': 'http://www.w3.org/2005/Atom'})]
print(json.dumps([texts('a:entry/a:summary'), texts('a:entry/a:author/a:name'), [one.tag for one in feed.iter() if 'Atom' not in one.tag]]))`;
    const read = execFileSync(toolPath('python3'), ['-c', script], {
      input: (await get('/feeds/zoo/hostile.atom')).body,
    }).toString();
    expect(JSON.parse(read)).toEqual([
      ['</summary><script>alert("1")</script> & ]]> &amp;  <!--'],
      ['A & <b>', `"/><x y='`, 'only@example.org'],
      [],
    ]);
  });
});

describe('the links', () => {
  it('lead to the pages of the console, relative to the feed where the address is not known', async () => {
    const linksOf = async (path: string): Promise<unknown> =>
      [...String((await get(path)).body).matchAll(/<link rel="(\w+)" type="[^"]+" href="([^"]*)"/g)].map(
        ([, rel, href]) => `${rel} ${href}`,
      );
    expect((await linksOf(all)) as string[]).toContain('alternate ../ui/packages/zoo/hostile');
    expect(await linksOf('/feeds/zoo/hostile.atom')).toEqual([
      'self ../../feeds/zoo/hostile.atom',
      'alternate ../../ui/packages/zoo/hostile',
    ]);
  });

  it('are absolute where it is, and a feed without pages has the description as its content', async () => {
    await using other = await runManagement({ publicUrl: 'https://packages.example.org/php/', hasPages: false });
    const token = await other.createToken('read');
    const { exitCode } = await runCli(['build', 'src', '--data', other.data], { cwd: sources.root });
    expect(exitCode).toBe(0);
    const text = String((await other.proxy.get(`${all}?stability=stable`, { authorization: `Bearer ${token}` })).body);
    expect(text).toContain('href="https://packages.example.org/php/feeds/releases.atom?stability=stable"');
    expect(text).not.toContain('alternate');
    expect(text).toContain('<content type="text">The acme/core library.</content>');
    const ids = (feed: string): readonly string[] => entriesIn(feed).map((entry) => fieldOf(entry, 'id'));
    expect(ids(text).toSorted()).toEqual(ids(String((await get(`${all}?stability=stable`)).body)).toSorted());
  });
});

describe('both feeds', () => {
  const paths = [all, '/feeds/acme/core.atom'];

  it('are private documents that can be revalidated, and are compressed', async () => {
    for (const path of paths) {
      const plain = await get(path, { 'accept-encoding': 'identity' });
      expect(plain.headers).toMatchObject({
        'content-type': 'application/atom+xml; charset=utf-8',
        'cache-control': 'private, no-cache',
        vary: 'Authorization, Accept-Encoding',
      });
      const etag = String(plain.headers['etag']);
      expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
      const newest = Date.parse(fieldOf(String(plain.body), 'updated'));
      expect(Date.parse(String(plain.headers['last-modified']))).toBe(Math.floor(newest / 1000) * 1000);
      for (const [encoding, unpack] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const packed = await get(path, { 'accept-encoding': encoding });
        expect(packed.headers['content-encoding']).toBe(encoding);
        expect(unpack(packed.body).equals(plain.body)).toBe(true);
        expect(packed.headers['etag']).not.toBe(etag);
      }
      const head = await get(path, { 'accept-encoding': 'identity' }, 'HEAD');
      expect([head.status, head.body.length, head.headers['content-length']]).toEqual([
        200,
        0,
        String(plain.body.length),
      ]);
    }
  });

  it('require a token, as bearer or as password, and refuse other methods', async () => {
    for (const path of paths) {
      expect(codeOf(await registry.call('GET', path))).toEqual([401, 'AUTHENTICATION_REQUIRED']);
      const basic = `Basic ${Buffer.from(`token:${reader}`).toString('base64')}`;
      expect((await registry.proxy.get(path, { authorization: basic })).status).toBe(200);
      const refused = await registry.call('POST', path, { as: reader, body: {} });
      expect([...(codeOf(refused) as unknown[]), refused.headers['allow']]).toEqual([
        400,
        'METHOD_NOT_ALLOWED',
        'GET, HEAD',
      ]);
    }
  });

  it('are made once for a publication', async () => {
    const before = await Promise.all(paths.map((path) => get(path)));
    const spy = vi.spyOn(registry.services.published, 'readPackage');
    const again = await Promise.all(paths.map((path) => get(path)));
    expect(spy).not.toHaveBeenCalled();
    expect(again.map(({ body }) => String(body))).toEqual(before.map(({ body }) => String(body)));
    spy.mockRestore();
  });

  it('are made again after the repair of a file, which is no publication', async () => {
    const path = join(registry.data, 'public/p2/zoo/hostile.json');
    const sound = await readFile(path);
    await build(below('src/other', libraryTree('acme/other', { version: '1.0.0' })));
    await writeFile(path, '{');
    nowMs += 10_000;
    const damaged = String((await get(all)).body);
    expect(titlesIn(damaged).slice(0, 3)).toEqual(['acme/other 1.0.0', 'acme/core 1.2.0', 'zoo/hostile 1.0.0']);
    expect(damaged).not.toContain('only@example.org');
    expect(codeOf(await get('/feeds/zoo/hostile.atom?stability=beta'))).toEqual([500, 'TREE_DAMAGED']);
    await writeFile(path, sound);
    nowMs += 10_000;
    expect(String((await get(all)).body)).toContain('only@example.org');
    expect((await get('/feeds/zoo/hostile.atom?stability=beta')).status).toBe(200);
  });

  it('change with the next publication, and the others keep their ids', async () => {
    const before = entriesIn(String((await get(all)).body));
    await build(below('src/core-4', libraryTree('acme/core', { version: '1.3.0' })));
    nowMs += 10_000;
    for (const path of paths) expect((await titles(path))[0]).toBe('acme/core 1.3.0');
    expect(entriesIn(String((await get(all)).body)).slice(1)).toEqual(before);
  });
});
