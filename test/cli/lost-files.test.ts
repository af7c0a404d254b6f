// Tests published files that were deleted or replaced by something else. Tokens that see the package get an error about
// damage, never "not published". All other tokens get the answers of the sound tree (I14).

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { below, libraryTree, writeTree, type Tree } from '../util/package-tree.ts';
import { registryCopy, type ServedCopy } from '../util/registry-copy.ts';
import { firstOf, itInSeries } from '../util/series.ts';

const library = (name: string, version: string): Tree => ({
  ...libraryTree(`acme/${name}`, { version }),
  'README.md': `# ${name}\n`,
});
const registry = registryCopy(
  { ...below('all/hello', library('hello', '1.0.0')), ...below('hidden', library('hidden', '2.0.0')) },
  async () => {
    await registry.succeeds('build', 'all');
    await registry.succeeds('publish', 'hidden', '--version', '2.0.0');
  },
);
const { at, data: file } = registry;
let served: ServedCopy;
let moment = 1_600_000_000;

const run = (...args: readonly string[]) => registry.succeeds(...args);
const token = (...limits: readonly string[]): Promise<string> => registry.token('--kind', 'write', ...limits);
const get = async (path: string, bearer: string): Promise<readonly unknown[]> => {
  const response = await served.get(path, bearer);
  return [path, response.status, response.headers.get('last-modified'), await response.text()];
};
const codeOf = async (path: string, bearer: string): Promise<unknown> => {
  const [, status, , body] = await get(path, bearer);
  return [path, status, status === 200 ? undefined : (JSON.parse(String(body)) as { code: string }).code];
};
/** Makes the server read every file again, as after a publication. */
const lookAnew = async (): Promise<void> => {
  moment += 1;
  utimesSync(file('index/_publication.json'), moment, moment);
  await new Promise((resolve) => setTimeout(resolve, 6));
};

beforeEach(async () => void (served = await registry.serve()));

const damages: Readonly<Record<string, (path: string) => void>> = {
  deleted: rmSync,
  'a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  'a file that the system refuses': (path) => {
    rmSync(path);
    symlinkSync(basename(path), path);
  },
};
const ofHidden = ['/p2/acme/hidden.json', '/dist/acme/hidden/2.0.0.zip', '/api/packages/acme/hidden'];
const lists = ['/packages.json', '/list.json', '/search.json?q=', '/api/packages'];
const others = [...ofHidden, ...lists, '/p2/acme/hidden~dev.json', '/p2/acme/hello.json', '/p2/acme/none.json'];

it('only tokens that see a package get the error, whichever file of the package is lost', async () => {
  const [all, limited, foreign] = [await token(), await token('--package', '*:^1.0'), await token('--package', 'b/*')];
  const answers = (): Promise<unknown> =>
    Promise.all([limited, foreign].flatMap((bearer) => others.map((path) => get(path, bearer))));
  const sound = await answers();
  const [text] = readdirSync(file('index/_texts/acme/hidden'));
  for (const [path, told] of [
    ['public/p2/acme/hidden.json', ['/p2/acme/hidden.json', '/api/packages/acme/hidden']],
    ['index/acme/hidden.json', ['/dist/acme/hidden/2.0.0.zip', '/api/packages/acme/hidden', '/api/artifacts']],
    [`index/_texts/acme/hidden/${text}`, ['/api/packages/acme/hidden/readme']],
  ] as const) {
    for (const [how, damage] of firstOf(Object.entries(damages), 1)) {
      renameSync(file(path), at('whole'));
      writeFileSync(file(path), '');
      damage(file(path));
      await lookAnew();
      for (const asked of told)
        expect([how, path, await codeOf(asked, all)]).toEqual([how, path, [asked, 500, 'TREE_DAMAGED']]);
      await served.server.shows(new RegExp(`${basename(path)}[^"]*libretto verify`));
      for (const asked of ['/packages.json', '/list.json', '/p2/acme/hello.json'])
        expect([how, path, (await get(asked, all))[1]]).toEqual([how, path, 200]);
      // without the index, nobody knows if a document is lost or never was
      const isSure = !path.startsWith('index/acme/');
      expect(await codeOf('/p2/acme/hidden~dev.json', all)).toEqual([
        '/p2/acme/hidden~dev.json',
        ...(isSure ? [200, undefined] : [500, 'TREE_DAMAGED']),
      ]);
      expect([how, path, await answers()]).toEqual([how, path, sound]);
      rmSync(file(path), { recursive: true, force: true });
      renameSync(at('whole'), file(path));
    }
  }
  for (const content of ['', '# another text\n']) {
    writeFileSync(file(`index/_texts/acme/hidden/${text}`), content);
    const readme = '/api/packages/acme/hidden/readme';
    expect(await codeOf(readme, all)).toEqual([readme, 500, 'TREE_DAMAGED']);
  }
});

itInSeries('a lost packages.json or announcement is reported too, and hides no document', async () => {
  const all = await token();
  for (const [path, told] of [
    ['public/packages.json', ['/packages.json', '/list.json', '/api/packages/acme/hello']],
    ['index/_publication.json', []],
  ] as const) {
    for (const damage of Object.values(damages)) {
      renameSync(file(path), at('whole'));
      writeFileSync(file(path), '');
      damage(file(path));
      await new Promise((resolve) => setTimeout(resolve, 6));
      for (const asked of told) expect(await codeOf(asked, all)).toEqual([asked, 500, 'TREE_DAMAGED']);
      for (const asked of [...lists, '/api/packages/acme/hello'])
        expect([path, await codeOf(asked, all)]).not.toEqual([path, [asked, 500, 'INTERNAL_ERROR']]);
      expect((await get('/p2/acme/hello.json', all))[1]).toBe(200);
      expect(await codeOf('/p2/acme/none.json', all)).toEqual(['/p2/acme/none.json', 404, 'NOT_FOUND']);
      rmSync(file(path), { recursive: true, force: true });
      renameSync(at('whole'), file(path));
    }
    await lookAnew();
  }
});

itInSeries(
  'a missing file raises no alarm during a publication, or after the versions were withdrawn or purged',
  async () => {
    const all = await token();
    const [document, announcement] = ['public/p2/acme/new.json', 'index/_publication.json'].map((path) =>
      file(path),
    ) as [string, string];
    const [before, { mtime }] = [readFileSync(announcement), statSync(announcement)];
    writeTree(at('all/new'), library('new', '1.0.0'));
    await run('build', 'all');
    const [after, whole] = [readFileSync(announcement), readFileSync(document)];
    writeFileSync(announcement, before);
    utimesSync(announcement, mtime, mtime);
    rmSync(document); // the index of acme/new is replaced, and its document is not
    const asked = '/p2/acme/new.json';
    expect(await codeOf(asked, all)).toEqual([asked, 404, 'NOT_FOUND']);
    writeFileSync(announcement, after);
    await lookAnew();
    expect(await codeOf(asked, all)).toEqual([asked, 500, 'TREE_DAMAGED']);
    writeFileSync(document, whole);
    expect(await codeOf(asked, all)).toEqual([asked, 200, undefined]);
    await run('package', 'withdraw', 'acme/new', '1.0.0');
    expect(await codeOf(asked, all)).toEqual([asked, 404, 'NOT_FOUND']);
    expect((await get('/dist/acme/new/1.0.0.zip', all))[1]).toBe(200);
    await run('package', 'purge', 'acme/new', '1.0.0', '--reason', 'mistake', '--yes');
    expect(await codeOf(asked, all)).toEqual([asked, 404, 'NOT_FOUND']);
    expect(await codeOf('/api/packages/acme/new', all)).toEqual(['/api/packages/acme/new', 404, 'NOT_FOUND']);
  },
);
