// Tests the feeds of the compiled server: with a token as password, with links to its pages, and from a tree at an
// origin.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { titlesIn } from '../util/atom.ts';
import { startOrigin, type OriginServer } from '../util/origin-server.ts';
import { below, libraryTree, temporaryTree } from '../util/package-tree.ts';
import { serveTree } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

const tree = temporaryTree({
  'public.json': { json: { publicUrl: 'https://packages.example.org' } },
  ...below('src/one', libraryTree('acme/hello', { version: '1.0.0' })),
  ...below('src/two', libraryTree('acme/hello', { version: '1.1.0', authors: [{ name: 'Ada' }] })),
});
let origin: OriginServer;

const libretto = async (...args: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await runCli(args, { cwd: tree.root });
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
};

beforeAll(async () => {
  await libretto('build', 'src', '--data', 'data');
  origin = await startOrigin(tree.path('data'));
});
afterAll(async () => {
  await origin[Symbol.asyncDispose]();
  tree.remove();
});

/** The texts of both feeds, from a server with these flags. */
async function feedsOf(data: string, flags: readonly string[]): Promise<readonly string[]> {
  const made = await libretto('token', 'create', '--json', '--description', 'a reader', '--data', data);
  const { token } = JSON.parse(made) as { readonly token: string };
  const server = await serveTree(tree.root, data, flags);
  const read = async (path: string): Promise<string> => {
    const authorization = `Basic ${Buffer.from(`token:${token}`).toString('base64')}`;
    const reply = await fetch(server.url + path, { headers: { authorization } });
    return reply.status === 200 ? reply.text() : `${reply.status}`;
  };
  const feeds = await Promise.all(['/feeds/releases.atom', '/feeds/acme/hello.atom'].map(read));
  await server.stop();
  return feeds;
}

const titles = ['acme/hello 1.1.0', 'acme/hello 1.0.0'];

it('a server has feeds, whose entries link to its console', async () => {
  const feeds = await feedsOf('data', ['--config', 'public.json']);
  expect(feeds.map(titlesIn)).toEqual([titles, titles]);
  for (const feed of feeds) {
    expect(feed).toContain(
      '<link rel="alternate" type="text/html" href="https://packages.example.org/ui/packages/acme/hello"/>',
    );
    expect(feed).toContain('<author><name>Ada</name></author>');
  }
});

itInSeries('a server with feeds alone, or with the console elsewhere, links to no page', async () => {
  for (const flags of [
    ['--features', 'feeds'],
    ['--console-listen', '127.0.0.1:0'],
  ])
    for (const feed of await feedsOf('data', flags)) {
      expect(titlesIn(feed)).toEqual(titles);
      expect(feed).not.toContain('rel="alternate"');
      expect(feed).toContain('<content type="text">The acme/hello library.</content>');
    }
});

itInSeries('a server with an origin has the same feeds', async () => {
  expect(await feedsOf('own', ['--origin', origin.url])).toEqual(await feedsOf('data', []));
});
