// Sends the requests of Renovate (lib/modules/datasource/packagist) and of Dependabot, whose proxy adds the token to
// what Composer asks, and expects answers that both read: for published and for mirrored packages.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { zipOf } from '../util/hostile-zip.ts';

const renovate = {
  'user-agent': 'Renovate/44.39.2 (https://github.com/renovatebot/renovate)',
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate, br',
};
const composer = { 'user-agent': 'Composer/2.9.2 (Linux; 6.1.0; PHP 8.4.1; cURL 8.5.0; Platform-PHP; CI)' };

let upstream: TestUpstream;
let registry: Registry;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.put('some/lib', [{ version: '1.0.0', zip: zipOf([{ name: 'a.php', data: '<?php' }]) }]);
  registry = await startRegistry({
    prepare: (folder) => {
      writeTree(folder.at('hello'), below('.', libraryTree('acme/hello', { version: '1.2.0' })));
      const egress = { allow: ['127.0.0.0/8'] };
      const sources = ['./hello', { type: 'composer', url: upstream.url }];
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress, sources }));
    },
    sources: ['./hello'],
  });
});
afterAll(async () => {
  await registry.stop();
  await upstream[Symbol.asyncDispose]();
});

const asBasic = (user: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${registry.token}`).toString('base64')}`,
});
const asBearer = (): Record<string, string> => ({ authorization: `Bearer ${registry.token}` });

interface Document {
  readonly 'metadata-url': string;
  readonly 'available-packages'?: readonly string[];
  readonly packages: Record<string, Record<string, Version> | Version[]>;
}
interface Version {
  readonly version: string;
  readonly time?: string;
  readonly 'published-time'?: string;
  readonly dist: { readonly url: string };
}

const get = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> =>
  fetch(new URL(path, registry.url), { method, headers });
const json = async (reply: Response): Promise<Document> => (await reply.json()) as Document;

describe.each([
  ['Renovate with username and password', renovate, () => asBasic('token')],
  ['Renovate with token', renovate, asBearer],
  ["Dependabot's Composer with a password", composer, () => asBasic('x-access-token')],
  ["Dependabot's Composer with a token", composer, asBearer],
])('%s', (_who, own, auth) => {
  it.each([
    ['acme/hello', '1.2.0'],
    ['some/lib', '1.0.0'],
  ])('finds %s, its releases and its archive', async (name, version) => {
    const headers = { ...own, ...auth() };
    const root = await json(await get('/packages.json', headers));
    const listed = root['available-packages'];
    if (own === renovate) expect(listed ?? [name]).toContain(name);
    const [released, dev] = await Promise.all(
      [name, `${name}~dev`].map((one) => get(root['metadata-url'].replace('%package%', one), headers)),
    );
    expect(released?.status).toBe(200);
    // both take a 404 for a package without branches
    expect([200, 404]).toContain(dev?.status);
    const [found] = Object.values((await json(released as Response)).packages[name] ?? {});
    expect(found?.version).toBe(version);
    // minimumReleaseAge of Renovate
    expect(Number.isNaN(Date.parse(found?.['published-time'] ?? found?.time ?? ''))).toBe(false);
    const archive = await get(found?.dist.url ?? '', headers);
    expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/zip']);
  });

  it('gets no other answer to HEAD, and 304 for what it has', async () => {
    const headers = { ...own, ...auth() };
    for (const path of ['/packages.json', '/p2/acme/hello.json']) {
      const [whole, head] = [await get(path, headers), await get(path, headers, 'HEAD')];
      await whole.arrayBuffer();
      expect([head.status, head.headers.get('etag')]).toEqual([200, whole.headers.get('etag')]);
      const again = await get(path, { ...headers, 'if-modified-since': whole.headers.get('last-modified') ?? '' });
      expect(again.status, path).toBe(304);
    }
  });
});

it('counts requests, and says when a bot may come again', async () => {
  const { token } = await registry.createToken('--limit', '2');
  const replies: Response[] = [];
  for (let at = 0; at < 3; at += 1)
    replies.push(await get('/packages.json', { ...renovate, authorization: `Bearer ${token}` }));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
  // Renovate waits for this number of seconds, if it is not too large
  expect(Number(replies[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
});
