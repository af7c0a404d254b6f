// A document that was damaged on the disk of a server is never answered 200, in any encoding; one that a publication is about to replace is no alarm.

import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli, startCli } from '../util/run-cli.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

it.each([['bit rot, which keeps the date', true], ['an editor, which moves the date', false]])('what is damaged by %s is 500 TREE_DAMAGED until it is mended', async (_, keepsDate) => {
  await using folder = temporaryFolder('damaged');
  writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  expect((await run('build', 'hello')).exitCode).toBe(0);
  const token = (await run('token', 'create', '--description', 'x')).stdout.trim();
  const file = join(folder.path, 'var/public/p2/acme/hello.json');
  const [whole, { mtime }] = [readFileSync(file), statSync(file)];
  writeFileSync(file, whole.toString('utf8').replace('1.0.0', '1.0.9'));
  utimesSync(file, mtime, keepsDate ? mtime : new Date(mtime.getTime() + 60_000));
  const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
  const get = async (encoding: string) => {
    const response = await fetch(`${url}/p2/acme/hello.json`, { headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding } });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  try {
    for (const encoding of ['identity', 'gzip', 'br']) expect(await get(encoding)).toEqual([500, 'TREE_DAMAGED']);
    await server.shows(/was changed or damaged on the disk/);
    expect((await run('verify')).exitCode).toBe(1);
    writeFileSync(file, whole);
    utimesSync(file, mtime, mtime);
    expect(await get('gzip')).toEqual([200, undefined]);
    // of a publication under way: the index is there, the document is the one before
    const index = join(folder.path, 'var/index/acme/hello.json');
    const text = readFileSync(index, 'utf8');
    const later = Math.floor(mtime.getTime() / 1000) + 5;
    writeFileSync(index, text.replace(/"last_modified": \d+/, `"last_modified": ${later}`).replace(/("stable": \{[^}]*"sha256": ")[0-9a-f]{8}/, '$100000000'));
    server.signal('SIGHUP');
    utimesSync(file, new Date(), new Date(mtime.getTime() - 1000));
    expect(await get('identity')).toEqual([200, undefined]);
  } finally {
    server.signal('SIGKILL');
    await server.ended;
  }
});
