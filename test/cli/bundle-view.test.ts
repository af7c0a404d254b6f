// Tests a bundle of what one token sees: an empty registry that receives it serves exactly that, from any layout of an
// upstream and without it, and nothing in the file tells of hidden packages and versions (I14).

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { archiveFor } from '../util/mirroring-registry.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { firstOf, itInSeries } from '../util/series.ts';
import { startUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';

const names = ['acme/hello', 'secret/tool', 'some/lib', 'hidden/lib'];
const hidden = /secret|hidden|[^.\d](?:2\.[0-9]|1\.2)\.0/;

const ask = async (registry: Registry, path: string, token: string): Promise<[number, string]> => {
  const response = await fetch(`${registry.direct()}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return [response.status, (await response.text()).replaceAll(registry.direct(), '')];
};
/** What Composer reads with this token. */
const served = async (registry: Registry, token: string) => {
  const paths = names.flatMap((name) => [`/p2/${name}.json`, `/p2/${name}~dev.json`]);
  const documents = await Promise.all(paths.map(async (path) => [path, await ask(registry, path, token)] as const));
  const texts = documents.map(([path, [status, text]]) => [
    path,
    status,
    status === 200 && (JSON.parse(text) as Record<string, unknown>)['packages'],
  ]);
  const urls = [...JSON.stringify(texts).matchAll(/"url":"(\/dist\/[^"]+)"/g)].map(([, url = '']) => url);
  return { texts, urls };
};

it.each(firstOf(['v2', 'includes', 'single', 'providers', 'lazy', 'inline'] as const, 1))(
  'a registry that receives the bundle of a token serves what the token sees, with an upstream of the layout %s',
  async (layout) => {
    const listed = layout === 'v2' ? { root: { 'available-packages': ['some/lib', 'hidden/lib'] } } : {};
    const upstream = await startUpstream({ layout, ...listed });
    // a rule of the policy reads documents of packages, and of no file with several
    const blocked = layout === 'includes' || layout === 'inline' ? [] : ['1.2.0'];
    for (const name of ['some/lib', 'hidden/lib'])
      upstream.put(
        name,
        ['1.0.0', '1.1.0', ...blocked, '2.0.0', 'dev-main'].map((version) => ({
          version,
          zip: archiveFor(version),
          ...(blocked.includes(version) ? { extra: { license: ['proprietary'] } } : {}),
        })),
      );
    const settings = { 'mirroring.enabled': 'true', 'mirroring.url': upstream.url, 'mirroring.fresh': '86400' };
    const sources = temporaryTree({
      ...below('hello/1.0.0', whoLibrary('acme/hello', '1.0.0')),
      ...below('hello/2.0.0', whoLibrary('acme/hello', '2.0.0')),
      ...below('hello/1.2.0', whoLibrary('acme/hello', '1.2.0', { license: 'proprietary' })),
      ...below('tool', whoLibrary('secret/tool', '1.0.0')),
    });
    await using online = await startRegistry({ sources: [sources.root], loopback: true, settings });
    const rule = { name: 'licences', rule: 'license', allow: ['MIT'], action: 'block' };
    writeFileSync(online.folder.at('policy.json'), JSON.stringify({ rules: [rule] }));
    expect(await online.cli('policy', 'set', online.folder.at('policy.json'))).toMatchObject({ exitCode: 0 });
    const limited = await online.createToken('--package', 'acme/hello:^1', '--package', 'some/lib:^1');
    const all = await served(online, online.token); // and the mirror has documents of everything
    for (const url of all.urls) expect((await ask(online, url, online.token))[0], url).toBe(200);
    const before = await served(online, limited.token);
    expect(before.urls.length).toBe(3);
    const bytes = await Promise.all(before.urls.map((url) => ask(online, url, limited.token)));

    const bundle = (out: string) =>
      online.cli('bundle', '--name', 'online', '--token', limited.id, '--out', online.folder.at(out), '--json');
    const made = await bundle('one.tar');
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    expect(JSON.parse(made.stdout)).toMatchObject({ serial: 1, whole: false, mirrored: 2 });
    expect(readFileSync(online.folder.at('one.tar'), 'latin1').replaceAll(/"sha256":"\w+"/g, '')).not.toMatch(hidden);

    await upstream[Symbol.asyncDispose]();
    await using offline = await startRegistry({ loopback: true, settings });
    const received = await offline.cli('receive', online.folder.at('one.tar'), '--json');
    expect([received.exitCode, received.stderr]).toEqual([0, '']);
    const after = await served(offline, offline.token);
    expect(after.texts).toEqual(before.texts);
    expect(await Promise.all(after.urls.map((url) => ask(offline, url, offline.token)))).toEqual(bytes);

    const cut = await online.cli('receive', online.folder.at('one.tar'));
    expect([cut.exitCode, cut.stderr]).toEqual([2, expect.stringContaining('they are what one token sees') as string]);

    // a hidden publication changes no byte of the next bundle
    sources.write(below('tool', whoLibrary('secret/tool', '2.0.0')));
    await online.cli('build', sources.root);
    expect(JSON.parse((await bundle('.')).stdout)).toMatchObject({
      file: expect.stringMatching(new RegExp(`/online-1-${limited.id}\\.bundle\\.tar$`)) as string,
      sha256: (JSON.parse(made.stdout) as { sha256: string }).sha256,
    });
  },
);

itInSeries('leaves out mirrored versions whose archives are not stored, and says how many', async () => {
  await using upstream = await startUpstream();
  for (const name of ['some/lib', 'hidden/lib'])
    upstream.put(
      name,
      ['1.0.0', '1.1.0'].map((version) => ({ version, zip: archiveFor(version) })),
    );
  const settings = { 'mirroring.enabled': 'true', 'mirroring.url': upstream.url };
  const sources = temporaryTree(below('hello', whoLibrary('acme/hello', '1.0.0')));
  await using online = await startRegistry({ sources: [sources.root], loopback: true, settings });
  const { id } = await online.createToken();
  const { urls } = await served(online, online.token);
  const [url = ''] = urls.filter((one) => one.includes('/some/lib/1.0.0'));
  expect((await ask(online, url, online.token))[0], url).toBe(200);
  const bundle = async (...flags: readonly string[]) =>
    (await online.cli('bundle', '--name', 'o', '--token', id, '--out', online.folder.at('some.tar'), ...flags)).stdout;
  expect(JSON.parse(await bundle('--json'))).toMatchObject({ mirrored: 1, lacking: 3 });
  const text = readFileSync(online.folder.at('some.tar'), 'latin1');
  expect([text.includes('"version":"1.0.0"'), text.includes('1.1.0'), text.includes('hidden/lib')]).toEqual([
    true,
    false,
    false,
  ]);
});

it('refuses a token that sees nothing any more, an unknown one, and lock files beside a token', async () => {
  await using registry = await startRegistry({
    sources: [temporaryTree(below('a', whoLibrary('acme/a', '1.0.0'))).root],
  });
  const { id } = await registry.createToken();
  const bundle = (...flags: readonly string[]) =>
    registry.cli('bundle', '--name', 'shop', '--out', registry.folder.at('no.tar'), ...flags);
  await registry.cli('token', 'revoke', id);
  const cases = [
    [['--token', id], 'is revoked, and sees nothing'],
    [['--token', 'tok_0000000000000000'], 'There is no token with the id'],
    [['--token', id, '--lock', 'composer.lock'], 'Use --lock or --token, not both.'],
  ] as const;
  for (const [flags, message] of cases)
    expect(await bundle(...flags)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) as string });
});
