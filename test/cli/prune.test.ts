// Tests `libretto prune`: it removes unused files, announces them first, and leaves a sound tree whatever happens
// meanwhile.
import { cpSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import { pruneWith } from '../../build/prune/prune.ts';
import { verifyTree } from '../../build/inspect/verify.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { allFiles, publishedTree, publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries, playsSeries } from '../util/series.ts';

let tree: TemporaryTree;
let data: string;

beforeEach(async () => {
  tree = temporaryTree();
  data = tree.path('data');
  put('one', '1.0.0', 'a');
  put('two', '1.1.0', 'b');
  put('dev', undefined, 'c');
  tree.write(below('packages/other', whoLibrary('acme/other', '1.0.0', {}, 'd')));
  await build();
});
afterEach(() => tree.remove());

const put = (folder: string, version: string | undefined, who: string): void =>
  tree.write(below(`packages/${folder}`, whoLibrary('acme/hello', version, {}, who)));
const run = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', 'data'], { cwd: tree.root });

async function build(...flags: readonly string[]): Promise<void> {
  expect(await run('build', './packages', '--allow-withdraw', ...flags)).toMatchObject({ exitCode: 0 });
}

/** Withdraws 1.1.0 and all of acme/other, and moves dev-main. Afterwards no earlier publication is recorded. */
async function supersede(): Promise<void> {
  rmSync(tree.path('packages/two'), { recursive: true });
  rmSync(tree.path('packages/other'), { recursive: true });
  put('dev', undefined, 'changed');
  await build();
  rmSync(join(data, 'build/history'), { recursive: true });
}

interface Report {
  readonly removed: readonly {
    readonly name: string;
    readonly version: string;
    readonly state: string;
    readonly size: number;
  }[];
  readonly freed_bytes: number;
  readonly serial: number;
  readonly kept: { readonly recent: number; readonly recorded: number };
}

async function prune(...flags: readonly string[]): Promise<Report> {
  const { exitCode, stdout, stderr } = await run('prune', '--json', ...flags);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return JSON.parse(stdout) as Report;
}

const removedBy = ({ removed }: Report): string[] =>
  removed.map(({ name, version, state }) => `${name} ${version} ${state}`).toSorted();
const all = ['acme/hello 1.1.0 withdrawn', 'acme/hello dev-main superseded', 'acme/other 1.0.0 withdrawn'];

describe('libretto prune', () => {
  it('removes archives that are no longer published, with their entries, and changes nothing for readers', async () => {
    await supersede();
    const before = publishedTree(data);
    const report = await prune('--keep-for', '0');
    expect(removedBy(report)).toEqual(all);
    expect(report.freed_bytes).toBe(report.removed.reduce((sum, { size }) => sum + size, 0));
    expect(publishedTree(data)).toEqual(before);
    expect(allFiles(join(data, 'public/dist')).toSorted()).toEqual(
      Object.keys(before)
        .flatMap((path) => (path.startsWith('dist/') ? [path.slice(5)] : []))
        .toSorted(),
    );
    expect(existsSync(join(data, 'index/acme/other.json'))).toBe(false);
    expect(readFileSync(join(data, 'index/acme/hello.json'), 'utf8')).not.toContain('superseded');
    expect(await verifyTree(data)).toMatchObject({ ok: true });
    expect(removedBy(await prune('--keep-for', '0'))).toEqual([]);
    expect((await run('build', '--json')).stdout).toContain('"published": false');
  });

  it('lists with --dry-run what would be removed, and changes nothing', async () => {
    await supersede();
    const before = allFiles(data).map((path) => [path, readFileSync(join(data, path), 'latin1')]);
    expect(removedBy(await prune('--keep-for', '0', '--dry-run'))).toEqual(all);
    expect(allFiles(data).map((path) => [path, readFileSync(join(data, path), 'latin1')])).toEqual(before);
    expect((await run('prune', '--dry-run', '--keep-for', '0')).stdout).toMatch(
      /^Would remove 3 contents that nothing names any more \(\d+ files, [\d.]+ MB\):\n {2}acme\/hello 1\.1\.0/,
    );
  });

  itInSeries('keeps all files for 180 days by default', async () => {
    await supersede();
    expect(await prune()).toMatchObject({ removed: [], freed_bytes: 0, serial: 2, kept: { recent: 3, recorded: 0 } });
    expect(await prune('--keep-for', '1h')).toMatchObject({ removed: [] });
  });

  it('keeps the files that a rollback to a recorded publication needs', async () => {
    put('dev', undefined, 'changed');
    await build();
    expect(await prune('--keep-for', '0')).toMatchObject({ removed: [], kept: { recent: 0, recorded: 1 } });
    const first = await run('rollback', '1');
    expect(first).toMatchObject({ exitCode: 0 });
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  itInSeries('is a publication of its own: the serial rises, and the history continues', async () => {
    await supersede();
    expect(await prune('--keep-for', '0')).toMatchObject({ serial: 3 });
    put('three', '3.0.0', 'z');
    await build();
    const { stdout } = await run('history', '--json');
    expect(JSON.stringify(JSON.parse(stdout))).toMatch(/"serial":4.*"serial":3/);
  });

  itInSeries('frees no space where the same file stays under another name', async () => {
    await supersede();
    const index = readFileSync(join(data, 'index/acme/hello.json'), 'utf8');
    const path = /dist\/acme\/hello\/1\.1\.0\.zip/.exec(index)?.[0] ?? '';
    rmSync(join(data, 'public/dist/acme/hello/1.0.0.zip'));
    linkSync(join(data, 'public', path), join(data, 'public/dist/acme/hello/1.0.0.zip'));
    const { removed, freed_bytes: freed } = await prune('--keep-for', '0', '--dry-run');
    expect(freed).toBe(
      removed
        .filter(({ version, name }) => name !== 'acme/hello' || version !== '1.1.0')
        .reduce((sum, { size }) => sum + size, 0),
    );
  });

  it('removes no file that a document names, whatever the index contains, and stops where documents are damaged', async () => {
    const path = join(data, 'index/acme/hello.json');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"state": "published"', '"state": "withdrawn"'));
    expect(removedBy(await prune('--keep-for', '0', '--dry-run'))).toEqual([]);
    writeFileSync(join(data, 'public/p2/acme/hello.json'), '{"half":');
    expect(await run('prune', '--keep-for', '0')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('public/p2/acme/hello.json') as string,
    });
  });

  it('leaves foreign files alone', async () => {
    await supersede();
    writeFileSync(join(data, 'public/dist/acme/hello/notes.zip'), 'mine');
    await prune('--keep-for', '0');
    expect(existsSync(join(data, 'public/dist/acme/hello/notes.zip'))).toBe(true);
  });

  it('refuses a cut-off tree, a folder without a tree, and an invalid time', async () => {
    expect(await runCli(['prune', '--data', 'nowhere'], { cwd: tree.root })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('libretto build') as string,
    });
    expect(existsSync(tree.path('nowhere'))).toBe(false);
    expect(await run('prune', '--keep-for', 'soon')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('180d') as string,
    });
    rmSync(join(data, 'build/manifest.json'));
    expect(await run('prune')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('libretto build') as string,
    });
  });
});

describe('a prune that is killed at any storage operation', () => {
  it('leaves a sound tree, and the next build gives the tree of an undisturbed prune or of none', async () => {
    await supersede();
    const published = publishedTree(data);
    for (let at = 1, ended = false; !ended; at += 1) {
      expect(at).toBeLessThan(60);
      const copy = tree.path('copy');
      rmSync(copy, { recursive: true, force: true });
      cpSync(data, copy, { recursive: true, preserveTimestamps: true });
      let left = at;
      const real = createDiskOutput(copy);
      const dying = new Proxy(real, {
        get: (target, key: keyof typeof real) => {
          if (!['stage', 'settle', 'publish', 'remove', 'barrier'].includes(key)) return target[key];
          return (...args: never[]) => {
            left -= 1;
            if (left < 0) throw new Error('killed');
            return (target[key] as (...given: never[]) => unknown)(...args);
          };
        },
      });
      try {
        await pruneWith(
          dying,
          { dataDirectory: copy, keepForMs: 0, dryRun: false, actor: 'cli:test' },
          new Date(Date.now() + 5000),
        );
        ended = true;
      } catch (error) {
        expect(String(error)).toContain('killed');
      }
      expect((await verifyTree(copy)).faults, `after ${at} operations`).toEqual([]);
      expect(publishedTree(copy)).toEqual(published);
      if (at % (playsSeries ? 3 : 9) !== 0 && !ended) continue;
      expect(await runCli(['build', './packages', '--data', 'copy'], { cwd: tree.root })).toMatchObject({
        exitCode: 0,
      });
      expect((await verifyTree(copy)).faults, `after ${at} operations and a build`).toEqual([]);
      expect(publishedTree(copy)).toEqual(published);
      expect(publishedVersions(copy)).toEqual(publishedVersions(data));
    }
  });
});
