// Tests a mirrored version that is purged under a running server (I21): no answer names it, its copies are removed, and
// it is not fetched again.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { eventually } from '../util/eventually.ts';
import { filesWithSecret, leakedSecret as secret } from '../util/leaked-version.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { allFiles } from '../util/published-tree.ts';
import { startUpstream, type TestUpstream, type UpstreamVersion } from '../util/upstream.ts';

const bad: UpstreamVersion = {
  version: '1.1.0',
  zip: zipOf([{ name: 'lib/src/Bad.php', data: Buffer.from(`<?php // ${secret}`) }]),
  extra: { description: secret },
};
const good: UpstreamVersion = {
  version: '1.0.0',
  zip: zipOf([{ name: 'lib/src/A.php', data: Buffer.from('<?php') }]),
  extra: { description: 'good' },
};
let upstream: TestUpstream;
let registry: ManagedRegistry;
const tokens: Record<'reader' | 'limited', string> = { reader: '', limited: '' };

interface Reply {
  readonly status: number;
  readonly text: string;
}
async function ask(path: string, who: keyof typeof tokens = 'reader'): Promise<Reply> {
  const reply = await fetch(registry.url() + path, { headers: { Authorization: `Bearer ${tokens[who]}` } });
  return { status: reply.status, text: Buffer.from(await reply.arrayBuffer()).toString('latin1') };
}
const dist = (name: string, version: string): string => `/dist/${name}/${version}.zip`;
const documents = ['/p2/some/lib.json', '/p2/some/only.json'];
const lists = ['/search.json?q=some', '/list.json', '/packages.json', '/api/packages'];
const told = async (paths: readonly string[]): Promise<string> =>
  (await Promise.all(paths.map((path) => ask(path)))).map(({ text }) => text).join('\n');

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.put('some/lib', [good, bad]);
  upstream.put('some/only', [{ ...bad, version: '2.0.0' }]);
  registry = await startManagedRegistry({
    egress: { allow: ['127.0.0.0/8'] },
    sources: [{ type: 'composer', url: upstream.url }],
  });
  await registry.cli('build');
  const create = async (limits?: object): Promise<string> =>
    String(
      (await registry.api('POST', '/api/tokens', { description: 'a client', kind: 'read', ...limits })).json['token'],
    );
  [tokens.reader, tokens.limited] = [await create(), await create({ constraints: { 'some/*': '<1.1' } })];
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

it('a purged version disappears from every answer and from the mirror, and is never fetched again', async () => {
  for (const path of [
    '/p2/some/lib.json',
    '/p2/some/only.json',
    dist('some/lib', '1.0.0'),
    dist('some/lib', '1.1.0'),
    dist('some/only', '2.0.0'),
  ])
    expect([path, (await ask(path)).status]).toEqual([path, 200]);
  // three archives with a record each, and two documents
  await eventually(
    () =>
      allFiles(join(registry.data, 'mirror')).filter((file) => /^(?:dist|p2\/[^/]+\/p2)\/.*\.(?:json|zip)$/.test(file))
        .length === 8,
  );
  expect(await told(documents)).toContain(secret);
  // lists follow the disk within some seconds
  await expect.poll(() => told(lists)).toContain('some/only');

  for (const [name, version] of [
    ['some/lib', '1.1.0'],
    ['some/only', '2.0.0'],
  ] as const) {
    const outcome = await registry.cli('package', 'purge', name, version, '--reason', 'malware', '--yes');
    expect([outcome.exitCode, outcome.stdout], outcome.stderr).toEqual([
      0,
      expect.stringMatching(/, mirrored\n[^]*upstream registry may still offer it/),
    ]);
  }
  expect(filesWithSecret(registry.data)).toEqual([]);
  const fetched = upstream.asked('/files/');
  for (const [name, version] of [
    ['some/lib', '1.1.0'],
    ['some/only', '2.0.0'],
  ] as const) {
    const { status, text } = await ask(dist(name, version));
    expect([status, text]).toEqual([
      410,
      expect.stringMatching(new RegExp(`${name} ${version} was purged from this registry on .* \\(malware\\)`)),
    ]);
    expect(await ask(dist(name, version), 'limited')).toMatchObject({
      status: 404,
      text: expect.stringContaining('NOT_FOUND') as string,
    });
  }
  const { packages } = JSON.parse((await ask('/p2/some/lib.json')).text) as { packages: Record<string, object> };
  expect([Object.keys(packages['some/lib'] ?? {}), (await ask(dist('some/lib', '1.0.0'))).status]).toEqual([
    ['1.0.0'],
    200,
  ]);
  expect(await told([...documents, ...lists])).not.toContain(secret);
  expect(await told(lists)).not.toContain('some/only');
  expect(upstream.asked('/files/')).toBe(fetched);
});
