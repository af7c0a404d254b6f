// Tests documents that were damaged on the disk of a server: none is answered with 200, in any encoding or with any
// date. A document that a publication is about to replace raises no alarm.

import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

it.each([
  ['bit rot, which keeps the date', true],
  ['an editor, which moves the date', false],
])('a document damaged by %s is 500 TREE_DAMAGED until it is repaired as the log says', async (_, keepsDate) => {
  await using folder = temporaryFolder('damaged');
  writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  expect((await run('build', 'hello')).exitCode).toBe(0);
  const token = (await run('token', 'create', '--description', 'x')).stdout.trim();
  const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
  const get = async (path: string, encoding: string) => {
    const response = await fetch(`${url}/${path}`, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
    });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  try {
    for (const path of ['p2/acme/hello.json', 'packages.json']) {
      const file = folder.at('var/public', path);
      const [whole, { mtime }] = [readFileSync(file), statSync(file)];
      writeFileSync(file, whole.toString('utf8').replace(/1\.0\.0|available/, 'changed'));
      utimesSync(file, mtime, keepsDate ? mtime : new Date(mtime.getTime() + 60_000));
      await nextLook();
      for (const encoding of ['identity', 'gzip', 'br'])
        expect([path, await get(path, encoding)]).toEqual([path, [500, 'TREE_DAMAGED']]);
      const [logged] = await server.shows(new RegExp(`public/${path} was changed or damaged on the disk[^"]*`));
      const { exitCode, stderr } = await run('verify');
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`public/${path}: `) as string]);
      if (/[Rr]emove build\/manifest\.json/.test(logged)) rmSync(folder.at('var/build/manifest.json'));
      expect(logged).toContain('`libretto build`');
      expect((await run('build')).exitCode).toBe(0);
      expect([path, readFileSync(file, 'utf8')]).toEqual([path, whole.toString('utf8')]);
      expect(await get(path, 'gzip')).toEqual([200, undefined]);
    }
    expect((await run('verify')).exitCode).toBe(0);
  } finally {
    server.signal('SIGKILL');
    await server.ended;
  }
});

it('lists, searches and API pages read no damaged document: an older one, one cut off, an edited one', async () => {
  await using folder = temporaryFolder('damaged');
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  const [root, provider, dev] = ['packages.json', 'p2/acme/hello.json', 'p2/acme/hello~dev.json'].map((path) =>
    folder.at(`var/public/${path}`),
  ) as [string, string, string];
  writeTree(folder.at('all/hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  writeTree(folder.at('all/main'), libraryTree('acme/hello', { version: 'dev-main' }));
  expect((await run('build', 'all')).exitCode).toBe(0);
  const older = new Map([root, provider, dev].map((file) => [file, readFileSync(file)]));
  writeTree(folder.at('all/hello'), libraryTree('acme/hello', { version: '1.1.0' }));
  writeTree(folder.at('all/main'), libraryTree('acme/hello', { version: 'dev-main', type: 'project' }));
  writeTree(folder.at('all/other'), libraryTree('acme/other', { version: '1.0.0' }));
  expect((await run('build')).exitCode).toBe(0);
  const token = (await run('token', 'create', '--description', 'x')).stdout.trim();
  const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  const readBy = new Map([
    [root, ['packages.json', 'list.json', 'search.json?q=hello', 'providers/acme/hello.json', 'api/packages']],
    [provider, ['p2/acme/hello.json', 'api/packages/acme/hello']],
    [dev, ['p2/acme/hello~dev.json', 'api/packages/acme/hello']],
  ]);
  let moment = 1_600_000_000;
  try {
    const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    for (const [file, paths] of readBy) {
      const whole = readFileSync(file);
      const { mtime } = statSync(file);
      const damages = [
        older.get(file) as Buffer,
        whole.subarray(0, 50),
        Buffer.alloc(0),
        Buffer.from(whole.toString('utf8').replaceAll('acme/hello', 'acme/hellx')),
      ];
      for (const [at, bytes] of damages.entries()) {
        writeFileSync(file, bytes); // with a new date, as `cp` sets it
        if (at > 1) utimesSync(file, mtime, mtime);
        moment += 1;
        // like a server that has just started
        utimesSync(folder.at('var/index/_publication.json'), moment, moment);
        await nextLook();
        for (const path of paths) {
          const response = await fetch(`${url}/${path}`, { headers: { authorization: `Bearer ${token}` } });
          const { code, error } = (await response.json()) as { code?: string; error?: string };
          expect([at, path, response.status, code]).toEqual([at, path, 500, 'TREE_DAMAGED']);
          expect(error).toContain('libretto verify');
        }
      }
      writeFileSync(file, whole);
      utimesSync(file, mtime, mtime);
    }
  } finally {
    server.signal('SIGKILL');
    await server.ended;
  }
});

it('the statistics of a damaged package are an error, also for limited tokens, and never 404', async () => {
  await using folder = temporaryFolder('damaged');
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  expect((await run('build', 'hello')).exitCode).toBe(0);
  const tokens = [
    await run('token', 'create', '--description', 'all'),
    await run('token', 'create', '--description', 'limited', '--package', 'acme/*:^1.0'),
    await run('token', 'create', '--description', 'other', '--package', 'other/*'),
  ].map(({ stdout }) => stdout.trim());
  writeFileSync(folder.at('var/public/p2/acme/hello.json'), '{"packages": {}}');
  const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  try {
    const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const answers = [];
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/api/packages/acme/hello/statistics`, { headers });
      answers.push([response.status, ((await response.json()) as { code?: string }).code]);
    }
    // a token that does not see the package learns nothing of the damage
    expect(answers).toEqual([
      [500, 'TREE_DAMAGED'],
      [500, 'TREE_DAMAGED'],
      [404, 'NOT_FOUND'],
    ]);
  } finally {
    server.signal('SIGKILL');
    await server.ended;
  }
});

it.each(['hello.json', 'hello~dev.json'])('a package returns to lists once %s is put back', async (document) => {
  await using folder = temporaryFolder('damaged');
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  writeTree(folder.at('all/main'), libraryTree('acme/hello', { version: 'dev-main' }));
  writeTree(folder.at('all/hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  writeTree(folder.at('all/other'), libraryTree('acme/other', { version: '1.0.0' }));
  expect((await run('build', 'all')).exitCode).toBe(0);
  const tokens = [
    await run('token', 'create', '--description', 'all'),
    await run('token', 'create', '--description', 'limited', '--package', 'acme/*:>=1 || dev-main'),
  ].map(({ stdout }) => stdout.trim());
  const file = folder.at('var/public/p2/acme', document);
  const [whole, { mtime }] = [readFileSync(file), statSync(file)];
  writeFileSync(file, '{"packages": {}}');
  const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  try {
    const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const ask = async (token: string, path: string) => {
      const response = await fetch(`${url}/${path}`, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, json: (await response.json()) as Readonly<Record<string, unknown>> };
    };
    for (const token of tokens) {
      expect((await ask(token, 'list.json')).json['packageNames']).toContain('acme/other');
      expect(await ask(token, 'api/packages/acme/hello')).toMatchObject({
        status: 500,
        json: { code: 'TREE_DAMAGED' },
      });
    }
    writeFileSync(file, whole);
    utimesSync(file, mtime, mtime); // with its date, as `cp -p` keeps it
    for (const token of tokens) {
      for (const path of ['api/packages/acme/hello', 'api/packages/acme/hello/statistics'])
        expect([path, (await ask(token, path)).status]).toEqual([path, 200]);
      expect((await ask(token, 'api/packages/acme/hello')).json['versions']).toHaveLength(2);
      expect((await ask(token, 'list.json')).json).toEqual({ packageNames: ['acme/hello', 'acme/other'] });
      expect((await ask(token, 'search.json?q=hello')).json).toMatchObject({ total: 1 });
    }
  } finally {
    server.signal('SIGKILL');
    await server.ended;
  }
});

it('a change on a damaged package is refused with the file, and the printed repair works', async () => {
  await using folder = temporaryFolder('damaged');
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  writeTree(folder.at('one'), libraryTree('acme/hello', { version: '1.0.0' }));
  writeTree(folder.at('two'), libraryTree('acme/hello', { version: '2.0.0' }));
  expect((await run('build', 'one')).exitCode).toBe(0);
  const [document, index] = ['public/p2/acme/hello.json', 'index/acme/hello.json'] as const;
  const whole = readFileSync(folder.at('var', document), 'utf8');
  const upload = async (): Promise<unknown> => {
    writeFileSync(
      folder.at('upload.zip'),
      zipOf([{ name: 'composer.json', data: '{"name": "acme/hello", "version": "3.0.0"}' }]),
    );
    return JSON.parse((await run('artifact', 'publish', folder.at('upload.zip'))).stdout);
  };

  rmSync(folder.at('var', document));
  const refused = await run('build', 'two');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${document} is damaged`)]);
  expect(refused.stderr).toContain(
    'Remove build/manifest.json, unless index/_publication.json is lost, and run `libretto build`',
  );
  expect(await upload()).toMatchObject({ outcome: 'refused', code: 'TREE_DAMAGED' });
  rmSync(folder.at('var/build/manifest.json'));
  expect((await run('build')).exitCode).toBe(0);
  expect(readFileSync(folder.at('var', document), 'utf8')).toBe(whole);

  writeFileSync(folder.at('var', index), 'XX');
  expect(await upload()).toMatchObject({ outcome: 'refused', code: 'TREE_DAMAGED' });
  const withdrawn = await run('package', 'withdraw', 'acme/hello', '1.0.0');
  expect([withdrawn.exitCode, withdrawn.stderr]).toEqual([2, expect.stringContaining(`${index} is damaged`)]);
  rmSync(folder.at('var', index));
  mkdirSync(folder.at('var', index));
  const verified = await run('verify');
  expect([verified.exitCode, verified.stderr]).toEqual([1, expect.stringContaining(`${index}: It is a folder`)]);
  rmSync(folder.at('var', index), { recursive: true });
  rmSync(folder.at('var/build/manifest.json'));
  expect((await run('build')).exitCode).toBe(0);
  expect((await run('verify')).exitCode).toBe(0);
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
    // as after each publication, the server checks its cache again
    utimesSync(file('index/_publication.json'), moment, moment);
    await nextLook();
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
    for (const [path, served] of [
      ['public/p2/acme/hello.json', 'p2/acme/hello.json'],
      ['public/packages.json', 'packages.json'],
    ] as const) {
      const whole = readFileSync(file(path));
      const edited = whole.toString('utf8').replace('acme/hello', 'acme/hellx');
      for (const content of [
        edited,
        whole.toString('utf8').replace('{', '{ '),
        '',
        whole.subarray(0, whole.length / 2),
      ]) {
        writeFileSync(file(path), content);
        earlier(path);
        expect([served, await get(served)]).toEqual([served, [500, 'TREE_DAMAGED']]);
      }
      writeFileSync(file(path), whole);
      expect(await get(served)).toEqual([200, undefined]);
    }
    for (const content of ['', '{"packages"', '{}', 'null']) {
      writeFileSync(file('public/packages.json'), content); // with a later date
      utimesSync(file('public/packages.json'), new Date(), new Date(Date.now() + 60_000));
      expect([content, await get('packages.json')]).toEqual([content, [500, 'TREE_DAMAGED']]);
    }
  });

  it('is the former document where the publication of its index was cut off, unless it is invalid', async () => {
    const [document, announcement] = ['public/p2/acme/hello.json', 'index/_publication.json'].map((path) => ({
      path,
      bytes: readFileSync(file(path)),
      date: statSync(file(path)).mtime,
    })) as [Before, Before];
    const root = readFileSync(file('public/packages.json'));
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.1.0' }));
    expect((await runCli(['build', 'hello'], { cwd: folder.path })).exitCode).toBe(0);
    expect(readFileSync(file(document.path)).equals(document.bytes)).toBe(false);
    expect(readFileSync(file('public/packages.json')).equals(root)).toBe(true);
    const newest = readFileSync(file(announcement.path));
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
    const readsOther = (): Promise<unknown> => {
      writeFileSync(file('public/packages.json'), root.toString('utf8').replace('"packages":{}', '"packages": {}'));
      // one second later than the announced one
      utimesSync(file('public/packages.json'), new Date(), new Date(Date.now() + 60_000));
      return get('packages.json');
    };
    expect(await readsOther()).toEqual([200, undefined]);
    writeFileSync(file(announcement.path), newest);
    expect(await readsOther()).toEqual([500, 'TREE_DAMAGED']);
    rmSync(file('build/manifest.json')); // as in a copy of the tree without dates
    expect(await readsOther()).toEqual([200, undefined]);
  });
});

/** The server looks for a publication at most every 5 ms. */
function nextLook(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 6));
}

interface Before {
  readonly path: string;
  readonly bytes: Buffer;
  readonly date: Date;
}
