// Tests documents that were damaged on the disk of a server: none is answered with 200, in any encoding or with any
// date. A document that a publication is about to replace raises no alarm.

import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { registryCopy, type ServedCopy } from '../util/registry-copy.ts';
import { firstOf, itInSeries } from '../util/series.ts';

let all = '';
const { at, data, libretto, succeeds, token, serve } = registryCopy(
  below('hello', libraryTree('acme/hello', { version: '1.0.0' })),
  async () => {
    await succeeds('build', 'hello');
    all = await token();
  },
);

it.each(
  firstOf<[string, boolean]>(
    [
      ['bit rot, which keeps the date', true],
      ['an editor, which moves the date', false],
    ],
    1,
  ),
)('a document damaged by %s is 500 TREE_DAMAGED until it is repaired as the log says', async (_, keepsDate) => {
  const { server, get } = await serve();
  const answer = async (path: string, encoding: string) => {
    const response = await get(`/${path}`, all, { 'accept-encoding': encoding });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  for (const path of ['p2/acme/hello.json', 'packages.json']) {
    const file = data('public', path);
    const [whole, { mtime }] = [readFileSync(file), statSync(file)];
    writeFileSync(file, whole.toString('utf8').replace(/1\.0\.0|available/, 'changed'));
    utimesSync(file, mtime, keepsDate ? mtime : new Date(mtime.getTime() + 60_000));
    await nextLook();
    for (const encoding of ['identity', 'gzip', 'br'])
      expect([path, await answer(path, encoding)]).toEqual([path, [500, 'TREE_DAMAGED']]);
    const [logged] = await server.shows(new RegExp(`public/${path} was changed or damaged on the disk[^"]*`));
    const { exitCode, stderr } = await libretto('verify');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`public/${path}: `) as string]);
    if (/[Rr]emove build\/manifest\.json/.test(logged)) rmSync(data('build/manifest.json'));
    expect(logged).toContain('`libretto build`');
    await succeeds('build');
    expect([path, readFileSync(file, 'utf8')]).toEqual([path, whole.toString('utf8')]);
    expect(await answer(path, 'gzip')).toEqual([200, undefined]);
  }
  await succeeds('verify');
});

itInSeries(
  'lists, searches and API pages read no damaged document: an older one, one cut off, an edited one',
  async () => {
    const [root, provider, dev] = ['packages.json', 'p2/acme/hello.json', 'p2/acme/hello~dev.json'].map((path) =>
      data('public', path),
    ) as [string, string, string];
    writeTree(at('all/main'), libraryTree('acme/hello', { version: 'dev-main' }));
    await succeeds('build', 'hello', 'all');
    const older = new Map([root, provider, dev].map((file) => [file, readFileSync(file)]));
    writeTree(at('hello'), libraryTree('acme/hello', { version: '1.1.0' }));
    writeTree(at('all/main'), libraryTree('acme/hello', { version: 'dev-main', type: 'project' }));
    writeTree(at('all/other'), libraryTree('acme/other', { version: '1.0.0' }));
    await succeeds('build');
    const readBy = new Map([
      [root, ['packages.json', 'list.json', 'search.json?q=hello', 'providers/acme/hello.json', 'api/packages']],
      [provider, ['p2/acme/hello.json', 'api/packages/acme/hello']],
      [dev, ['p2/acme/hello~dev.json', 'api/packages/acme/hello']],
    ]);
    let moment = 1_600_000_000;
    const { get } = await serve();
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
        utimesSync(data('index/_publication.json'), moment, moment);
        await nextLook();
        for (const path of paths) {
          const response = await get(`/${path}`, all);
          const { code, error } = (await response.json()) as { code?: string; error?: string };
          expect([at, path, response.status, code]).toEqual([at, path, 500, 'TREE_DAMAGED']);
          expect(error).toContain('libretto verify');
        }
      }
      writeFileSync(file, whole);
      utimesSync(file, mtime, mtime);
    }
  },
);

it('the statistics of a damaged package are an error, also for limited tokens, and never 404', async () => {
  const tokens = [all, await token('--package', 'acme/*:^1.0'), await token('--package', 'other/*')];
  writeFileSync(data('public/p2/acme/hello.json'), '{"packages": {}}');
  const { get } = await serve();
  const answers = [];
  for (const secret of tokens) {
    const response = await get('/api/packages/acme/hello/statistics', secret);
    answers.push([response.status, ((await response.json()) as { code?: string }).code]);
  }
  // a token that does not see the package learns nothing of the damage
  expect(answers).toEqual([
    [500, 'TREE_DAMAGED'],
    [500, 'TREE_DAMAGED'],
    [404, 'NOT_FOUND'],
  ]);
});

itInSeries.each(['hello.json', 'hello~dev.json'])(
  'a package returns to lists once %s is put back',
  async (document) => {
    writeTree(at('all/main'), libraryTree('acme/hello', { version: 'dev-main' }));
    writeTree(at('all/other'), libraryTree('acme/other', { version: '1.0.0' }));
    await succeeds('build', 'hello', 'all');
    const tokens = [all, await token('--package', 'acme/*:>=1 || dev-main')];
    const file = data('public/p2/acme', document);
    const [whole, { mtime }] = [readFileSync(file), statSync(file)];
    writeFileSync(file, '{"packages": {}}');
    const { get } = await serve();
    const ask = async (secret: string, path: string) => {
      const response = await get(`/${path}`, secret);
      return { status: response.status, json: (await response.json()) as Readonly<Record<string, unknown>> };
    };
    for (const secret of tokens) {
      expect((await ask(secret, 'list.json')).json['packageNames']).toContain('acme/other');
      expect(await ask(secret, 'api/packages/acme/hello')).toMatchObject({
        status: 500,
        json: { code: 'TREE_DAMAGED' },
      });
    }
    writeFileSync(file, whole);
    utimesSync(file, mtime, mtime); // with its date, as `cp -p` keeps it
    for (const secret of tokens) {
      for (const path of ['api/packages/acme/hello', 'api/packages/acme/hello/statistics'])
        expect([path, (await ask(secret, path)).status]).toEqual([path, 200]);
      expect((await ask(secret, 'api/packages/acme/hello')).json['versions']).toHaveLength(2);
      expect((await ask(secret, 'list.json')).json).toEqual({ packageNames: ['acme/hello', 'acme/other'] });
      expect((await ask(secret, 'search.json?q=hello')).json).toMatchObject({ total: 1 });
    }
  },
);

itInSeries('a change on a damaged package is refused with the file, and the printed repair works', async () => {
  writeTree(at('two'), libraryTree('acme/hello', { version: '2.0.0' }));
  const [document, index] = ['public/p2/acme/hello.json', 'index/acme/hello.json'] as const;
  const whole = readFileSync(data(document), 'utf8');
  const upload = async (): Promise<unknown> => {
    writeFileSync(
      at('upload.zip'),
      zipOf([{ name: 'composer.json', data: '{"name": "acme/hello", "version": "3.0.0"}' }]),
    );
    return JSON.parse((await libretto('artifact', 'publish', at('upload.zip'))).stdout);
  };

  rmSync(data(document));
  const refused = await libretto('build', 'two');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${document} is damaged`)]);
  expect(refused.stderr).toContain(
    'Remove build/manifest.json, unless index/_publication.json is lost, and run `libretto build',
  );
  expect(await upload()).toMatchObject({ outcome: 'refused', code: 'TREE_DAMAGED' });
  rmSync(data('build/manifest.json'));
  await succeeds('build');
  expect(readFileSync(data(document), 'utf8')).toBe(whole);

  writeFileSync(data(index), 'XX');
  expect(await upload()).toMatchObject({ outcome: 'refused', code: 'TREE_DAMAGED' });
  const withdrawn = await libretto('package', 'withdraw', 'acme/hello', '1.0.0');
  expect([withdrawn.exitCode, withdrawn.stderr]).toEqual([2, expect.stringContaining(`${index} is damaged`)]);
  rmSync(data(index));
  mkdirSync(data(index));
  const verified = await libretto('verify');
  expect([verified.exitCode, verified.stderr]).toEqual([1, expect.stringContaining(`${index}: It is a folder`)]);
  rmSync(data(index), { recursive: true });
  rmSync(data('build/manifest.json'));
  await succeeds('build');
  await succeeds('verify');
});

describe('a document of an earlier date', () => {
  let served: ServedCopy;
  let moment = 1_600_000_000;
  const earlier = (path: string): void => utimesSync(data(path), new Date(), new Date('2020-01-01T00:00:00Z'));
  const get = async (path: string) => {
    moment += 1;
    // as after each publication, the server checks its cache again
    utimesSync(data('index/_publication.json'), moment, moment);
    await nextLook();
    const response = await served.get(`/${path}`, all);
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  beforeEach(async () => void (served = await serve()));

  itInSeries('is damaged where its publication is complete: edited, emptied and cut off', async () => {
    for (const [path, asked] of [
      ['public/p2/acme/hello.json', 'p2/acme/hello.json'],
      ['public/packages.json', 'packages.json'],
    ] as const) {
      const whole = readFileSync(data(path));
      const edited = whole.toString('utf8').replace('acme/hello', 'acme/hellx');
      for (const content of [
        edited,
        whole.toString('utf8').replace('{', '{ '),
        '',
        whole.subarray(0, whole.length / 2),
      ]) {
        writeFileSync(data(path), content);
        earlier(path);
        expect([asked, await get(asked)]).toEqual([asked, [500, 'TREE_DAMAGED']]);
      }
      writeFileSync(data(path), whole);
      expect(await get(asked)).toEqual([200, undefined]);
    }
    for (const content of ['', '{"packages"', '{}', 'null']) {
      writeFileSync(data('public/packages.json'), content); // with a later date
      utimesSync(data('public/packages.json'), new Date(), new Date(Date.now() + 60_000));
      expect([content, await get('packages.json')]).toEqual([content, [500, 'TREE_DAMAGED']]);
    }
  });

  it('is the former document where the publication of its index was cut off, unless it is invalid', async () => {
    const [document, announcement] = ['public/p2/acme/hello.json', 'index/_publication.json'].map((path) => ({
      path,
      bytes: readFileSync(data(path)),
      date: statSync(data(path)).mtime,
    })) as [Before, Before];
    const root = readFileSync(data('public/packages.json'));
    writeTree(at('hello'), libraryTree('acme/hello', { version: '1.1.0' }));
    await succeeds('build', 'hello');
    expect(readFileSync(data(document.path)).equals(document.bytes)).toBe(false);
    expect(readFileSync(data('public/packages.json')).equals(root)).toBe(true);
    const newest = readFileSync(data(announcement.path));
    for (const { path, bytes, date } of [document, announcement]) {
      writeFileSync(data(path), bytes);
      utimesSync(data(path), date, date);
    }
    expect(await get('p2/acme/hello.json')).toEqual([200, undefined]);
    for (const content of ['', document.bytes.subarray(0, 40), '{"packages":{"acme/other":{}}}']) {
      writeFileSync(data(document.path), content);
      utimesSync(data(document.path), document.date, document.date);
      expect([content, await get('p2/acme/hello.json')]).toEqual([content, [500, 'TREE_DAMAGED']]);
    }
    const readsOther = (): Promise<unknown> => {
      writeFileSync(data('public/packages.json'), root.toString('utf8').replace('"packages":{}', '"packages": {}'));
      // one second later than the announced one
      utimesSync(data('public/packages.json'), new Date(), new Date(Date.now() + 60_000));
      return get('packages.json');
    };
    expect(await readsOther()).toEqual([200, undefined]);
    writeFileSync(data(announcement.path), newest);
    expect(await readsOther()).toEqual([500, 'TREE_DAMAGED']);
    rmSync(data('build/manifest.json')); // as in a copy of the tree without dates
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
