// Tests that builds go on after the data folder or a source has moved: versions keep their reference and their archive.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('moved-sources');
  writePackage('one/packages/hello', { name: 'acme/hello', version: '1.0.0' });
  writePackage('one/packages/world', { name: 'acme/world', version: '2.0.0' });
});
afterEach(() => folder.remove());

function writePackage(path: string, json: object): void {
  mkdirSync(folder.at(path), { recursive: true });
  writeFileSync(folder.at(path, 'composer.json'), JSON.stringify(json));
  writeFileSync(folder.at(path, 'code.php'), '<?php');
}

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const build = async (...args: readonly string[]): Promise<BuildDocument> => {
  const { exitCode, stdout, stderr } = await run('build', '--json', ...args);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as BuildDocument;
};
interface BuildDocument {
  readonly added: readonly unknown[];
  readonly withdrawn: readonly unknown[];
  readonly changed: readonly unknown[];
  readonly notices: readonly { readonly message: string }[];
}
const nothing = { added: [], changed: [], withdrawn: [] };

/** The bytes and times of every document and archive that clients get: what a lock file names. */
function served(data: string): Record<string, string> {
  const root = folder.at(data, 'public');
  const files = ['p2', 'dist'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [
        path.slice(root.length),
        `${Math.trunc(statSync(path).mtimeMs / 1000)} ${readFileSync(path).toString('base64')}`,
      ];
    }),
  );
}

function move(from: string, to: string): void {
  mkdirSync(dirname(folder.at(to)), { recursive: true });
  renameSync(folder.at(from), folder.at(to));
}

describe('a data folder that moved', () => {
  it('without its libretto.json names the file as the remedy', async () => {
    writeFileSync(folder.at('one/libretto.json'), JSON.stringify({ sources: ['packages'] }));
    await build('--config', 'one/libretto.json', '--data', 'one/var');
    move('one/var', 'other/var');
    const { exitCode, stderr } = await run('build', '--data', 'other/var');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `${folder.at('other/packages')} does not exist. It comes from libretto.json: correct its path there, or name that file with --config.`,
    );
    const named = ['--config', 'one/libretto.json', '--data', 'other/var'];
    expect(await build(...named)).toMatchObject(nothing);
  });

  it('without its sources is built from them where they are', async () => {
    await build('one/packages', '--data', 'one/var');
    const before = served('one/var');
    move('one/var', 'other/disk/of/var');
    expect(await build('--data', 'other/disk/of/var')).toMatchObject({
      ...nothing,
      notices: [{ message: expect.stringContaining(`and the source is still at ${folder.at('one/packages')}. `) }],
    });
    expect(served('other/disk/of/var')).toEqual(before);
    writePackage('one/packages/hello', { name: 'acme/hello', version: '1.1.0' });
    const next = await build('--data', 'other/disk/of/var', '--allow-withdraw');
    expect(next).toMatchObject({
      added: [{ name: 'acme/hello', version: '1.1.0' }],
      notices: [{ message: expect.stringContaining('acme/hello 1.1.0 replaces 1.0.0.') as string }],
    });
  });

  itInSeries(
    'with its workspace is built from the sources beside it, and not from those of the old place',
    async () => {
      await build('one/packages', '--data', 'one/var');
      cpSync(folder.at('one'), folder.at('two'), { recursive: true, preserveTimestamps: true });
      writePackage('two/packages/new', { name: 'acme/new', version: '1.0.0' });
      expect(await build('--data', 'two/var')).toMatchObject({
        ...nothing,
        added: [{ name: 'acme/new' }],
        notices: [],
      });
    },
  );

  itInSeries('takes a source that is named again for the same source', async () => {
    await build('one/packages', '--data', 'one/var');
    const before = served('one/var');
    move('one/var', 'a/b/c/var');
    expect(await build('one/packages', '--data', 'a/b/c/var')).toMatchObject(nothing);
    expect(served('a/b/c/var')).toEqual(before);
  });

  it.each([
    ['absolute', () => ({ data: 'var', sources: [folder.at('one/packages')] })],
    ['relative to a libretto.json that moves too', () => ({ data: 'var', sources: ['../../packages'] })],
  ])('goes on with sources of libretto.json that are %s', async (what, config) => {
    mkdirSync(folder.at('one/x/y'), { recursive: true });
    writeFileSync(folder.at('one/x/y/libretto.json'), JSON.stringify(config()));
    await build('--config', 'one/x/y/libretto.json');
    const before = served('one/x/y/var');
    if (what === 'absolute') move('one/x/y', 'far/away/from/it/y');
    else move('one', 'far/away/from/it/all');
    const data = what === 'absolute' ? 'far/away/from/it/y' : 'far/away/from/it/all/x/y';
    expect(await build('--config', `${data}/libretto.json`)).toMatchObject(nothing);
    expect(served(`${data}/var`)).toEqual(before);
  });

  itInSeries('withdraws no version of a registered folder, whichever is synced first', async () => {
    writePackage('one/more/third', { name: 'acme/third', version: '3.0.0' });
    const config = (data: string): string => {
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ data, sourceRoots: [folder.at('one')] }));
      return data;
    };
    config('one/var');
    const ids: string[] = [];
    for (const name of ['packages', 'more'])
      ids.push(
        (
          JSON.parse((await run('repository', 'add', `one/${name}`, '--type', 'directory', '--json')).stdout) as {
            id: string;
          }
        ).id,
      );
    for (const id of ids) expect((await run('repository', 'sync', id)).exitCode).toBe(0);
    const before = served('one/var');
    move('one/var', config('a/b/c/var'));
    const synced = await run('repository', 'sync', String(ids[0]));
    expect([synced.exitCode, synced.stdout]).toEqual([0, expect.stringContaining('0 withdrawn')]);
    expect(served('a/b/c/var')).toEqual(before);
  });
});

describe('a source that moved', () => {
  it('is named with --relocate, and nothing is published anew', async () => {
    await build('one/packages', '--data', 'one/var');
    const before = served('one/var');
    move('one/packages', 'elsewhere/src/packages');
    const lost = await run('build', '--data', 'one/var');
    const old = folder.at('one/packages');
    expect([lost.exitCode, lost.stderr]).toEqual([
      1,
      expect.stringContaining(`libretto build --relocate ${old}=NEW_PATH --data ${folder.at('one/var')}\``),
    ]);
    const paths = `${folder.at('one')}=${folder.at('elsewhere/src')}`;
    expect(await build('--data', 'one/var', '--relocate', paths)).toMatchObject(nothing);
    expect(served('one/var')).toEqual(before);
    expect(await build('--data', 'one/var')).toMatchObject({ ...nothing, notices: [] });
  });

  it('is refused as a new source with the relocation to use, and not left out version by version', async () => {
    await build('one/packages', '--data', 'one/var');
    const before = served('one/var');
    move('one/packages', 'elsewhere/packages');
    const relocation = `${folder.at('one/packages')}=${folder.at('elsewhere/packages')}`;
    const refused = await run('build', 'elsewhere/packages', '--data', 'one/var');
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        `Nothing was published. If the source moved, run \`libretto build --relocate ${relocation} --data ${folder.at('one/var')}\``,
      ),
    ]);
    expect(refused.stderr).not.toContain('DUPLICATE_VERSION');
    expect(await build('--data', 'one/var', '--relocate', relocation)).toMatchObject(nothing);
    expect(served('one/var')).toEqual(before);
  });

  itInSeries('is relocated by the command of the refusal as it is printed, with blanks in its paths', async () => {
    move('one/packages', 'src one');
    await build('src one', '--data', 'my var');
    const before = served('my var');
    move('src one', 'src two');
    const refused = await run('build', './src two', '--data', 'my var');
    const [, command = '', forget = ''] = /`libretto (build --relocate [^`]*)`.*`(libretto build --forget [^`]*)`/.exec(
      refused.stderr,
    ) as string[];
    expect(forget).toBe(
      `libretto build --forget '${folder.at('src one')}' --allow-withdraw --data '${folder.at('my var')}'`,
    );
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect(await build(...words.slice(1))).toMatchObject(nothing);
    expect(served('my var')).toEqual(before);
    expect(existsSync(folder.at('var'))).toBe(false);
  });

  itInSeries('may have = in its paths', async () => {
    move('one/packages', 'a=b');
    await build('a=b', '--data', 'one/var');
    const before = served('one/var');
    move('a=b', 'c=d');
    expect(await build('--data', 'one/var', '--relocate', 'a=b=c=d')).toMatchObject(nothing);
    expect(served('one/var')).toEqual(before);
  });

  it.each([
    ['--relocate', 'one/packages=two'],
    ['--forget', 'one/packages'],
  ])('makes no data folder with %s %s', async (...flags) => {
    const { exitCode, stderr } = await run('build', ...flags);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`There is no data folder ${folder.at('var')}`)]);
    expect(existsSync(folder.at('var'))).toBe(false);
  });

  itInSeries('may be named by the path of the former data folder', async () => {
    await build('one/packages', '--data', 'one/var');
    const before = served('one/var');
    move('one/var', 'a/b/c/var');
    move('one/packages', 'd/packages');
    const moved = `${folder.at('one/packages')}=${folder.at('d/packages')}`;
    expect(await build('--data', 'a/b/c/var', '--relocate', moved)).toMatchObject(nothing);
    expect(served('a/b/c/var')).toEqual(before);
  });

  it.each([
    ['no paths', () => 'one/packages', '--relocate is "one/packages"; allowed: OLD=NEW'],
    ['another source', () => 'nowhere=one', 'no recorded source is at'],
    ['a missing place', () => 'one/packages=one/missing', 'there is nothing at'],
    ['the place of another source', () => 'one/packages=one/second', 'two sources cannot become one'],
    ['the same place', () => 'one/packages=one/packages', 'is recorded at'],
    ['an unreadable place', () => 'one/packages=one/file', 'cannot be read there'],
  ])('is refused with %s, and every version stays', async (_, text, message) => {
    writePackage('one/second/third', { name: 'acme/third', version: '1.0.0' });
    writeFileSync(folder.at('one/file'), '');
    await build('one/packages', 'one/second', '--data', 'one/var');
    const before = served('one/var');
    const { exitCode, stderr } = await run('build', '--data', 'one/var', '--relocate', text());
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(served('one/var')).toEqual(before);
  });

  it('is changed in libretto.json if its path stands there', async () => {
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'one/var', sources: ['one/packages'] }));
    await build();
    const before = served('one/var');
    move('one/packages', 'two/packages');
    const refused = await run('build', '--relocate', 'one/packages=two/packages');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('comes from libretto.json')]);
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'one/var', sources: ['two/packages'] }));
    expect(await build()).toMatchObject(nothing);
    expect(served('one/var')).toEqual(before);
  });
});

itInSeries('a relocation is complete after a backup and a restore to another place', async () => {
  await build('one/packages', '--data', 'one/var');
  const before = served('one/var');
  expect((await run('backup', 'copy', '--data', 'one/var')).exitCode).toBe(0);
  const restored = await run('restore', 'copy', '--data', 'x/y/z/var');
  expect([restored.exitCode, restored.stderr]).toEqual([0, expect.stringContaining(folder.at('one/packages'))]);
  expect(await build('--data', 'x/y/z/var')).toMatchObject(nothing);
  expect(served('x/y/z/var')).toEqual(before);
  rmSync(folder.at('x'), { recursive: true });
  move('one/packages', 'gone');
  const advised = await run('restore', 'copy', '--data', 'x/y/z/var');
  expect(advised.stderr).toMatch(/`libretto build --relocate \S+\/one\/packages=NEW_PATH --data \S+\/x\/y\/z\/var`/);
});
