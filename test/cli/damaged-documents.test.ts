// A document that was damaged on the disk of a server is never answered 200, in any encoding or of any date; one that a publication is about to replace is no alarm.

import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

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
  } finally {
    server.signal('SIGKILL');
    await server.ended;
  }
});

describe('a document of an earlier date', () => {
  let folder: TemporaryFolder;
  let server: RunningCli;
  let url = '';
  let token = '';
  let moment = 1_600_000_000;
  const file = (path: string): string => join(folder.path, 'var', path);
  const earlier = (path: string): void => utimesSync(file(path), new Date(), new Date('2020-01-01T00:00:00Z'));
  const get = async (path: string) => {
    moment += 1;
    utimesSync(file('index/_publication.json'), moment, moment); // as with each publication: what is in memory is looked at again
    const response = await fetch(`${url}/${path}`, { headers: { authorization: `Bearer ${token}` } });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };

  beforeEach(async () => {
    folder = temporaryFolder('damaged');
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect((await runCli(['build', 'hello'], { cwd: folder.path })).exitCode).toBe(0);
    token = (await runCli(['token', 'create', '--description', 'x'], { cwd: folder.path })).stdout.trim();
    server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    url = (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
  });

  afterEach(async () => {
    server.signal('SIGKILL');
    await server.ended;
    await folder.remove();
  });

  it('is damaged where its publication is complete: edited, emptied and cut off', async () => {
    for (const [path, served] of [['public/p2/acme/hello.json', 'p2/acme/hello.json'], ['public/packages.json', 'packages.json']] as const) {
      const whole = readFileSync(file(path));
      const edited = whole.toString('utf8').replace('acme/hello', 'acme/hellx');
      for (const content of [edited, whole.toString('utf8').replace('{', '{ '), '', whole.subarray(0, whole.length / 2)]) {
        writeFileSync(file(path), content);
        earlier(path);
        expect([served, await get(served)]).toEqual([served, [500, 'TREE_DAMAGED']]);
      }
      writeFileSync(file(path), whole);
      expect(await get(served)).toEqual([200, undefined]);
    }
    for (const content of ['', '{"packages"', '{}', 'null']) {
      writeFileSync(file('public/packages.json'), content); // of a later date
      utimesSync(file('public/packages.json'), new Date(), new Date(Date.now() + 60_000));
      expect([content, await get('packages.json')]).toEqual([content, [500, 'TREE_DAMAGED']]);
    }
  });

  it('is the document before where the publication of its index was cut off, unless it cannot be one', async () => {
    const [document, announcement] = ['public/p2/acme/hello.json', 'index/_publication.json'].map((path) => ({ path, bytes: readFileSync(file(path)), date: statSync(file(path)).mtime })) as [Before, Before];
    const root = readFileSync(file('public/packages.json'));
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.1.0' }));
    expect((await runCli(['build', 'hello'], { cwd: folder.path })).exitCode).toBe(0);
    expect(readFileSync(file(document.path)).equals(document.bytes)).toBe(false);
    expect(readFileSync(file('public/packages.json')).equals(root)).toBe(true);
    for (const { path, bytes, date } of [document, announcement]) {
      writeFileSync(file(path), bytes);
      utimesSync(file(path), date, date);
    }
    expect(await get('p2/acme/hello.json')).toEqual([200, undefined]);
    for (const content of ['', document.bytes.subarray(0, 40), '{"packages":{"acme/other":{}}}']) {
      writeFileSync(file(document.path), content);
      utimesSync(file(document.path), document.date, document.date);
      expect([content, await get('p2/acme/hello.json')]).toEqual([content, [500, 'TREE_DAMAGED']]);
    }
  });
});

interface Before {
  readonly path: string;
  readonly bytes: Buffer;
  readonly date: Date;
}
