// While one builder removes unused objects, others wait: what they send again stays. A removal that was killed is ended
// by its own host at once, and by another host after its lease.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../../../build/build.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { headKey, parseHead } from '../../../../build/contract/store-listing.ts';
import { purgeVersion } from '../../../../build/purge/purge-version.ts';
import type { BuildEffects } from '../../../../build/scan/build-request.ts';
import { betweenRemovals, removeAlone, writeHead } from '../../../../build/store/store-head.ts';
import { WorkingCopy } from '../../../../build/store/working-copy.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { memoryStore, type MemoryStore } from '../../../util/memory-store.ts';
import { below } from '../../../util/package-tree.ts';
import { HeadReader } from '../../../util/store-hosts/head-reader.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let series: BuildSeries;
let store: MemoryStore;
let reader: HeadReader;

beforeEach(() => {
  series = buildSeries();
  store = memoryStore();
  const all = function* all(): Generator<readonly [string, Buffer]> {
    for (const [key, { bytes }] of store.objects) yield [key, bytes];
  };
  reader = new HeadReader({ at: (key) => store.objects.get(key)?.bytes, all });
  const { put: putInStore, remove } = store;
  const checked = async <Result>(done: Promise<Result>): Promise<Result> => done.finally(() => reader.check());
  Object.assign(store, {
    put: (...given: Parameters<MemoryStore['put']>) => checked(putInStore(...given)),
    remove: (...given: Parameters<MemoryStore['remove']>) => checked(remove(...given)),
  });
});
afterEach(() => series.tree.remove());

const put = (source: string, version: string): void =>
  series.tree.write(below(`${source}/${version}`, whoLibrary(`acme/${source}`, version)));
const on = (host: string) =>
  series.request({
    dataDirectory: series.tree.path(host),
    baseDirectory: series.tree.root,
    arguments: [host === 'a' ? 'one' : 'two'],
    output: { open: async () => store },
  });
const run = (host: string, more: Partial<BuildEffects> = {}) => build(on(host), { ...series.effects(), ...more });
const purge = () =>
  purgeVersion(
    {
      name: 'acme/one' as PackageName,
      version: '1.1.0',
      reference: undefined,
      mirrored: [],
      reason: 'secret',
      dryRun: false,
    },
    { request: on('a'), effects: series.effects(), waitMs: 0 },
  );
const head = () => parseHead(String(store.objects.get(headKey)?.bytes));

async function published(): Promise<void> {
  for (const version of ['1.0.0', '1.1.0']) put('one', version);
  put('two', '1.0.0');
  for (const host of ['a', 'b']) await run(host);
}

describe('a removal of objects', () => {
  it('lets the publication wait that sends one of them again', async () => {
    await published();
    put('two', '1.1.0');
    await run('b');
    series.tree.delete('two/1.1.0'); // the former document returns
    const { remove } = store;
    let later: Promise<unknown> | undefined;
    Object.assign(store, {
      remove: async (keys: readonly string[]) => {
        if (later === undefined && keys.some((key) => key.startsWith('index/documents/')))
          await new Promise<void>((resolve) => {
            later = run('b', { progress: ({ phase }) => phase === 'wait' && resolve() }).finally(resolve);
          });
        await remove(keys);
      },
    });
    await purge();
    await later;
    expect(later).toBeDefined();
  });

  it('makes a publication start over that has sent one of them before', async () => {
    await published();
    put('two', '1.1.0');
    let isFirst = true;
    store.beforePut = async (key) => {
      if (key !== headKey || !isFirst) return;
      isFirst = false;
      await purge();
    };
    await run('b');
    expect(Object.keys(reader.publicFiles())).toContain('dist/acme/two/1.1.0.zip');
  });

  it('takes back archives that were sent, and that no publication has after another builder was first', async () => {
    await published();
    put('two', '1.1.0');
    let isFirst = true;
    store.beforePut = async (key) => {
      if (key !== headKey || !isFirst) return;
      isFirst = false;
      series.tree.delete('two/1.1.0');
      put('one', '1.2.0');
      await run('a');
    };
    await run('b');
    expect(store.requests).toContain('put public/dist/acme/two/1.1.0.zip');
    expect([...store.objects.keys()].filter((key) => key.includes('two/1.1.0'))).toEqual([]);
    expect(head().removing).toBeUndefined();
  });

  it('ends with an error of the store, and others publish', async () => {
    await published();
    const { remove } = store;
    let wasDenied = false;
    Object.assign(store, {
      remove: async (keys: readonly string[]) => {
        const isDenied = !wasDenied && keys.some((key) => key.startsWith('index/documents/'));
        wasDenied ||= isDenied;
        if (isDenied) throw new Error('denied');
        await remove(keys);
      },
    });
    await expect(purge()).rejects.toThrow('denied');
    expect(head().removing).toBeUndefined();
    put('two', '1.1.0');
    expect(await run('b')).toMatchObject({ published: true });
  });
});

describe('a long removal', () => {
  it('renews its name in the head, and stops when another host has ended it', async () => {
    await published();
    const copy = new WorkingCopy(series.tree.path('a'), store);
    const { current } = await copy.current();
    const keys = Array.from({ length: 48 }, (_, at) => `index/documents/unused-${at}`);
    const { remove } = store;
    const removed: string[] = [];
    let atMs = Date.UTC(2027, 0, 1);
    const now = () => new Date((atMs += 20_000));
    Object.assign(store, {
      remove: async (batch: readonly string[]) => {
        removed.push(...batch);
        if (removed.length === 32) {
          const { removing, ...ended } = head();
          expect(removing).toBeDefined();
          expect(head().generation).toBeGreaterThan((current?.head.generation ?? 0) + 1);
          await writeHead(copy, (await copy.current()).current, ended, now);
        }
        await remove(batch);
      },
    });
    expect(current && (await removeAlone(copy, current, keys, now))).toBe(false);
    expect(removed).toEqual(keys.slice(0, 32));
  });
});

describe('a removal that was killed', () => {
  const killed = async (): Promise<void> => {
    const copy = new WorkingCopy(series.tree.path('a'), store);
    const { current } = await copy.current();
    expect(
      await writeHead(copy, current, { ...head(), removing: 'a of another life' }, series.effects().now),
    ).toBeDefined();
  };

  it('is ended by another host when the head has not changed for ten minutes', async () => {
    await published();
    await killed();
    let atMs = Date.UTC(2027, 0, 1);
    const waits: string[] = [];
    const clock = {
      now: () => new Date((atMs += 100_000)),
      progress: ({ phase, label }: { readonly phase: string; readonly label: string }) =>
        waits.push(`${phase} ${label}`),
    };
    const copy = new WorkingCopy(series.tree.path('b'), store);
    const { current } = await betweenRemovals(copy, () => copy.current(), clock);
    expect(current?.head.removing).toBeUndefined();
    expect(waits).toEqual([expect.stringMatching(/^wait for the builder that removes objects at s3:.*10 minutes/)]);
    put('two', '1.1.0');
    expect(await run('b')).toMatchObject({ published: true });
  });
});
