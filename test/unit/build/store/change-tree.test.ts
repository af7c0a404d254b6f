// Builders with an object store as their output: each has a data folder of its own, and the store has the registry (I27).
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../../../build/build.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { headKey, parseHead } from '../../../../build/contract/store-listing.ts';
import { prune } from '../../../../build/prune/prune.ts';
import { purgeVersion } from '../../../../build/purge/purge-version.ts';
import { rollBack } from '../../../../build/rollback/rollback.ts';
import { changeTree } from '../../../../build/store/change-tree.ts';
import type { BuildEffects, BuildRequest } from '../../../../build/scan/build-request.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { memoryStore, type MemoryStore } from '../../../util/memory-store.ts';
import { below, type TemporaryTree } from '../../../util/package-tree.ts';
import { allFiles } from '../../../util/published-tree.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let series: BuildSeries;
let tree: TemporaryTree;
let store: MemoryStore;

beforeEach(() => {
  series = buildSeries();
  ({ tree } = series);
  store = memoryStore();
});
afterEach(() => tree.remove());

const put = (folder: string, version: string | undefined, who = folder, name = 'acme/hello'): void =>
  tree.write(below(`one/${folder}`, whoLibrary(name, version, {}, who)));
const effects = (): BuildEffects => series.effects();
const output = { open: async () => store };
const on = (host: string, more: Partial<BuildRequest> = {}): BuildRequest =>
  series.request({ dataDirectory: tree.path(host), baseDirectory: tree.root, arguments: ['one'], output, ...more });
const run = (host: string, more: Partial<BuildRequest> = {}): Promise<BuildReport> => build(on(host, more), effects());
const head = () => parseHead(String(store.objects.get(headKey)?.bytes));
const textOf = (key: string): string | undefined => store.objects.get(key)?.bytes.toString('utf8');
const publicKeys = (): string[] => [...store.objects.keys()].filter((key) => key.startsWith('public/')).toSorted();

/** The tree of a registry whose output is a disk, with the same history. */
async function onDisk(steps: readonly (() => void)[]): Promise<Record<string, string>> {
  for (const [minute, step] of steps.entries()) {
    step();
    await build(on('disk', { output: undefined }), atMinute(minute));
  }
  return filesOf(tree.path('disk/public'));
}

const atMinute = (minute: number): BuildEffects => ({ ...series.effects(), now: () => new Date(minute * 60_000) });

function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    allFiles(folder)
      .toSorted()
      .map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex'),
      ]),
  );
}

const atStore = (): Record<string, string> =>
  Object.fromEntries(publicKeys().map((key) => [key.slice('public/'.length), store.objects.get(key)?.sha256 ?? '']));

describe('an object store as output', () => {
  it('has the bytes that a disk has', async () => {
    const steps = [
      () => put('a', '1.0.0'),
      () => put('head', undefined, 'first'),
      () => put('head', undefined, 'second'),
    ];
    for (const [minute, step] of steps.entries()) {
      step();
      await build(on('a'), atMinute(minute));
    }
    rmSync(tree.path('one'), { recursive: true });
    expect(atStore()).toEqual(await onDisk(steps));
    expect(head()).toMatchObject({ generation: 3, serial: 3 });
  });

  it('keeps no archives on the disk of the builder', async () => {
    put('a', '1.0.0');
    await run('a');
    expect(existsSync(tree.path('a/public/dist/acme/hello/1.0.0.zip'))).toBe(false);
    expect(await run('a')).toMatchObject({ published: false, added: [], withdrawn: [] });
  });

  it('asks once for the head when nothing has changed', async () => {
    put('a', '1.0.0');
    await run('a');
    store.requests.length = 0;
    await run('a');
    expect(store.requests).toEqual([`get ${headKey}`]);
  });

  it('gives a new host what another host has published', async () => {
    put('a', '1.0.0');
    await run('a');
    put('b', '1.1.0');
    const report = await run('b');
    expect(report.added.map(({ version }) => version)).toEqual(['1.1.0']);
    expect(publicKeys()).toEqual([
      'public/dist/acme/hello/1.0.0.zip',
      'public/dist/acme/hello/1.1.0.zip',
      'public/p2/acme/hello.json',
      'public/packages.json',
    ]);
    expect(await run('a')).toMatchObject({ published: false });
  });

  it('starts the second of two builders over on what the first has published', async () => {
    put('a', '1.0.0');
    await run('a');
    tree.write(below('two/b', whoLibrary('acme/other', '2.0.0', {}, 'b')));
    let first = true;
    store.beforePut = async (key) => {
      if (key !== headKey || !first) return;
      first = false;
      await build(on('b', { arguments: ['two'] }), effects());
    };
    put('c', '1.2.0');
    await run('a');
    expect(head().generation).toBe(3);
    expect(JSON.parse(textOf('public/packages.json') ?? '')).toMatchObject({
      'available-packages': ['acme/hello', 'acme/other'],
    });
    expect(textOf('public/p2/acme/hello.json')).toContain('1.2.0');
  });

  it('rolls back, purges and prunes without the archives of this disk', async () => {
    put('a', '1.0.0');
    await run('a');
    put('b', '1.1.0', 'a secret');
    await run('b');
    await rollBack({ to: 1, dryRun: false }, on('a'), effects());
    expect(textOf('public/p2/acme/hello.json')).not.toContain('1.1.0');
    const order = {
      name: 'acme/hello' as PackageName,
      version: '1.1.0',
      reference: undefined,
      mirrored: [],
      reason: 'secret' as const,
      dryRun: false,
    };
    const outcome = await purgeVersion(order, { request: on('a'), effects: effects(), waitMs: 0 });
    expect(outcome).toMatchObject({ outcome: 'purged', files: ['dist/acme/hello/1.1.0.zip'] });
    expect(publicKeys()).not.toContain('public/dist/acme/hello/1.1.0.zip');
    rmSync(tree.path('one/a'), { recursive: true });
    rmSync(tree.path('one/b'), { recursive: true });
    put('c', '2.0.0');
    await run('b', { keepHistory: 1 });
    await run('b', { keepHistory: 1, metadataUrl: '/p2/%package%.json' });
    expect(textOf('public/p2/acme/hello.json')).not.toContain('1.0.0');
    const order2 = { dataDirectory: tree.path('b'), keepForMs: 0, dryRun: false, actor: 'a test', output };
    expect((await prune(order2, effects().now)).removed.map(({ version }) => version)).toEqual(['1.0.0']);
    expect(publicKeys()).toEqual([
      'public/dist/acme/hello/2.0.0.zip',
      'public/p2/acme/hello.json',
      'public/packages.json',
    ]);
  });

  it('drops the changes of a builder that was killed, and uses its uploads', async () => {
    put('a', '1.0.0');
    await run('a');
    put('b', '1.1.0');
    store.beforePut = (key) => {
      if (key === headKey) throw new Error('killed');
    };
    await expect(run('a')).rejects.toThrow('killed');
    store.beforePut = () => undefined;
    expect(await run('a')).toMatchObject({ published: true, added: [{ version: '1.1.0' }] });
    expect(head().generation).toBe(2);
  });

  it('refuses a data folder with a registry of its own', async () => {
    put('a', '1.0.0');
    await run('a');
    await build(on('disk', { output: undefined }), effects());
    await expect(run('disk')).rejects.toThrow(/has a registry of its own, and s3:\/\/memory\/registry has another one/);
  });

  it('takes over the registry of a data folder where the store is empty', async () => {
    put('a', '1.0.0');
    await build(on('disk', { output: undefined }), effects());
    const before = filesOf(tree.path('disk/public'));
    await run('disk');
    expect(atStore()).toEqual(before);
  });

  it('gives up where other builders publish first every time', async () => {
    put('a', '1.0.0');
    await run('a');
    let version = 0;
    const work = async (): Promise<void> => {
      await run('b', { distBaseUrl: `https://packages.example/${(version += 1)}` });
      tree.write({ 'a/build/note': String(version) });
    };
    const change = { now: () => new Date(), waitMs: 0, output, random: () => 0 };
    await expect(changeTree(tree.path('a'), change, work)).rejects.toThrow(
      /published to s3:\/\/memory\/registry 10 times/,
    );
    expect(head().generation).toBe(11);
  });

  it('refuses to go on where the store has lost its head', async () => {
    put('a', '1.0.0');
    await run('a');
    await store.remove([headKey]);
    await expect(run('a')).rejects.toThrow(/has lost index\/_head\.json; this data folder has its generation 1/);
  });
});
