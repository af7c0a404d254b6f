// What builders meet at a store after kills, edits by hand, and in the objects of others, and what they leave there.
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../../../build/build.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { headKey, parseHead } from '../../../../build/contract/store-listing.ts';
import { purgeVersion } from '../../../../build/purge/purge-version.ts';
import type { BuildEffects, BuildRequest } from '../../../../build/scan/build-request.ts';
import { changeTree, refreshTree } from '../../../../build/store/change-tree.ts';
import { takeLock } from '../../../../build/output/lock.ts';
import { StoreFailure } from '../../../../build/store/store-failure.ts';
import { leaseMs, leaseObserver, type Held } from '../../../../build/store/projection-lease.ts';
import { removeUnused } from '../../../../build/store/unused-objects.ts';
import { WorkingCopy } from '../../../../build/store/working-copy.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { memoryStore, type MemoryStore } from '../../../util/memory-store.ts';
import { below, type TemporaryTree } from '../../../util/package-tree.ts';
import { whoLibrary } from '../../../util/who-library.ts';
import { itInSeries } from '../../../util/series.ts';

let series: BuildSeries;
let tree: TemporaryTree;
let store: MemoryStore;

beforeEach(() => {
  series = buildSeries();
  ({ tree } = series);
  store = memoryStore();
  put('a', '1.0.0');
});
afterEach(() => tree.remove());

const put = (folder: string, version: string, who = folder, name = 'acme/hello', source = 'one'): void =>
  tree.write(below(`${source}/${folder}`, whoLibrary(name, version, {}, who)));
const effects = (): BuildEffects => series.effects();
const output = { open: async () => store };
const on = (host: string, more: Partial<BuildRequest> = {}): BuildRequest =>
  series.request({ dataDirectory: tree.path(host), baseDirectory: tree.root, arguments: ['one'], output, ...more });
const run = (host: string, more: Partial<BuildRequest> = {}): Promise<BuildReport> => build(on(host, more), effects());
const head = () => parseHead(String(store.objects.get(headKey)?.bytes));
const textOf = (key: string): string => store.objects.get(key)?.bytes.toString('utf8') ?? '';
const document = 'public/p2/acme/hello.json';
const projectionKey = 'index/_projection.json';

function place(key: string, text: string): void {
  const sha256 = createHash('sha256').update(text).digest('hex');
  (store.objects as Map<string, unknown>).set(key, {
    bytes: Buffer.from(text),
    etag: `"${sha256}"`,
    sha256,
    modified: 0,
  });
}

async function killedAt(key: string, host = 'a'): Promise<void> {
  store.beforePut = (at) => {
    if (at === key) throw new Error('killed');
  };
  await expect(run(host)).rejects.toThrow('killed');
  store.beforePut = () => undefined;
}

it('is the reason that a change names while another one of this host waits for it, too', async () => {
  await run('a');
  const lock = await takeLock(tree.path('a/build/lock'), () => new Date());
  const silent = { ...store, head: () => Promise.reject(new StoreFailure('unreachable', 'no answer came')) };
  const change = { now: () => new Date(), waitMs: 600_000, output: { open: async () => silent } };
  await expect(changeTree(tree.path('a'), change, async () => 'done')).rejects.toThrow('no answer came');
  await lock.release();
  expect(await changeTree(tree.path('a'), change, async () => 'done')).toBe('done');
});

describe('a store after a kill', () => {
  it('gets its copies by the next build, also after a command that only reads', async () => {
    await run('a');
    await run('b');
    put('b', '1.1.0');
    await killedAt(projectionKey);
    expect(textOf(document)).not.toContain('1.1.0');
    await refreshTree(tree.path('b'), { now: effects().now, waitMs: 0, output });
    expect(await run('b')).toMatchObject({ published: false });
    expect(textOf(document)).toContain('1.1.0');
  });

  it.each([projectionKey, headKey])('goes on with the folder of its first publication, killed at %s', async (key) => {
    await killedAt(key);
    expect(await run('a')).toMatchObject({ failed: [] });
    expect(textOf(document)).toContain('1.0.0');
  });

  it('loses archives that were sent in vain by prune, and uses them before', async () => {
    await run('a');
    for (const version of ['1.1.0', '1.2.0']) put(version, version);
    await killedAt(headKey);
    const [used, unused] = ['public/dist/acme/hello/1.1.0.zip', 'public/dist/acme/hello/1.2.0.zip'];
    rmSync(tree.path('one/1.2.0'), { recursive: true });
    const uploadedBefore = Date.now() + 1;
    while (Date.now() <= uploadedBefore) await new Promise(setImmediate);
    let isFirst = true;
    store.beforePut = async (key) => {
      if (key !== headKey || !isFirst) return;
      isFirst = false;
      await removeUnused(new WorkingCopy(tree.path('b'), store), { uploadedBefore, dryRun: false, now: effects().now });
    };
    await run('a');
    expect([used, unused].map((key) => store.objects.has(key))).toEqual([true, false]);
  });

  itInSeries('has the work of both builders of a first publication', async () => {
    put('x', '1.0.0', 'x', 'acme/other', 'two');
    let isFirst = true;
    store.beforePut = async (key) => {
      if (key !== headKey || !isFirst) return;
      isFirst = false;
      await build(on('b', { arguments: ['two'] }), effects());
    };
    await run('a');
    expect(JSON.parse(textOf('public/packages.json'))).toMatchObject({
      'available-packages': ['acme/hello', 'acme/other'],
    });
  });

  it('keeps a registry that a folder had on its own since', async () => {
    await killedAt(headKey);
    await build(on('a', { output: undefined }), effects());
    put('b', '1.1.0');
    await run('b');
    await expect(run('a')).rejects.toThrow(/has a registry of its own/);
  });
});

describe('the copies at a store', () => {
  const far = 9_000_000_000_000_000;
  itInSeries.each([
    ['no JSON', 'text'],
    ['no fields', '{}'],
    ['a lease that ends in the far future', JSON.stringify({ listing: null, begun: [], until: far })],
    ['a listing that is not there', JSON.stringify({ listing: 'f'.repeat(64), begun: [], until: 0 })],
    ['a begun listing that is not there', JSON.stringify({ listing: null, begun: ['e'.repeat(64)], until: 0 })],
  ])('are made where their record has %s', async (_case, text) => {
    await run('a');
    place(projectionKey, text);
    put('b', '1.1.0');
    await run('a');
    expect(textOf(document)).toContain('1.1.0');
  });

  itInSeries('stay those of the last publication, where a builder that lost its lease was late', async () => {
    await run('a');
    await run('b');
    put('b', '1.1.0');
    const copy = store.copy.bind(store);
    let isLate = true;
    Object.assign(store, {
      copy: async (from: string, to: string) => {
        if (to === document && isLate) {
          isLate = false;
          put('c', '1.2.0');
          await run('b'); // waits for the lease of the other one by a clock that goes ten seconds a look
        }
        return copy(from, to);
      },
    });
    await run('a');
    expect(textOf(document)).toContain('1.2.0');
  });

  it('are left to a living builder whose clock is minutes behind, and taken from a dead one', () => {
    const held = (until: number, etag: string): Held => ({ listing: null, begun: [], until, by: 'other', etag });
    let atMs = 1_000_000_000;
    const mayTake = leaseObserver('own', () => new Date(atMs));
    const behind = atMs - 5 * 60_000;
    expect(mayTake(held(behind, '1'))).toBe(false);
    atMs += leaseMs - 1;
    expect(mayTake(held(behind, '1'))).toBe(false);
    expect(mayTake(held(behind, '2'))).toBe(false);
    atMs += leaseMs;
    expect(mayTake(held(behind, '2'))).toBe(true);
    expect(mayTake({ ...held(far, '3'), by: 'own' })).toBe(true);
  });
});

describe('a working copy that was changed by hand', () => {
  it.each(['public', 'index', 'build/history', 'build/manifest.json', 'build', 'build/store/base.json'])(
    'publishes nothing of it: without %s',
    async (gone) => {
      await run('a');
      const { generation } = head();
      if (gone.endsWith('base.json')) writeFileSync(tree.path('a', gone), '{"st');
      else rmSync(tree.path('a', gone), { recursive: true });
      expect(await run('a')).toMatchObject({ published: false });
      expect(head().generation).toBe(generation);
    },
  );

  it('publishes nothing of it: an edited document, and a file with a name that no listing takes', async () => {
    await run('a');
    const before = textOf(document);
    writeFileSync(tree.path('a', document), '{"packages":{}}');
    writeFileSync(tree.path('a', 'public/a\\\\b'), '');
    put('b', '1.1.0');
    await run('a');
    expect(textOf(document)).toContain('1.0.0');
    expect(before).toContain('1.0.0');
    expect(await run('b')).toMatchObject({ published: false });
  });
});

describe('a purge at a store', () => {
  it('removes the bytes and the documents of the version from every place', async () => {
    await run('a');
    put('b', '1.1.0', 'a secret');
    place('public/dist/acme/hello/1.1.0.zip', 'of others');
    await run('a');
    put('c', '1.2.0');
    await run('a');
    const order = { version: '1.1.0', reference: undefined, mirrored: [], reason: 'secret', dryRun: false } as const;
    const name = 'acme/hello' as PackageName;
    const archive = [...store.objects.keys()].find((key) => key.startsWith('index/archives/')) ?? '';
    expect(archive).not.toBe('');
    await purgeVersion({ ...order, name }, { request: on('a'), effects: effects(), waitMs: 0 });
    expect(store.objects.has(archive)).toBe(false);
    expect(store.objects.has('public/dist/acme/hello/1.1.0.zip')).toBe(false);
    const documents = [...store.objects].filter(([, { bytes }]) => bytes.toString().startsWith('{"packages":'));
    expect(documents.filter(([, { bytes }]) => bytes.includes('1.1.0')).map(([key]) => key)).toEqual([]);
  });
});
