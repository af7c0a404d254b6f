// Tests the counts of downloads: counted in memory, stored in the state by version and day.

import { describe, expect, it } from 'vitest';
import { createDownloads } from '../../../../proxy/packages/downloads.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 31, 12);
const openDownloads = (state: StateStore, now: () => number = () => start) =>
  createDownloads({
    state,
    now,
    everyMs: 0,
    onError: (error) => {
      throw error;
    },
  });
const plain = (days: readonly { readonly date: string; readonly versions: ReadonlyMap<string, number> }[]) =>
  days.map(({ date, versions }) => [date, Object.fromEntries(versions)]);

describe('downloads', () => {
  it('are counted by version and day, and survive a restart', async () => {
    const state = createMemoryStore();
    let now = start;
    const first = openDownloads(state, () => now);
    first.count('acme/hello', '1.0.0');
    first.count('acme/hello', '1.0.0');
    first.count('acme/hello', 'dev-feature/x');
    await first.close();
    now += dayMs;
    const second = openDownloads(state, () => now);
    second.count('acme/hello', '1.0.0');
    second.count('acme/hello-world', '1.0.0');
    expect(plain(await second.daysOf('acme/hello'))).toEqual([
      ['2026-01-31', { '1.0.0': 2, 'dev-feature/x': 1 }],
      ['2026-02-01', { '1.0.0': 1 }],
    ]);
    expect([...(await second.totals())]).toEqual([
      ['acme/hello', 4],
      ['acme/hello-world', 1],
    ]);
    expect([...(await second.byDay())]).toEqual([
      ['2026-01-31', 3],
      ['2026-02-01', 2],
    ]);
  });

  it('of two processes add up', async () => {
    const state = createMemoryStore();
    const processes = [openDownloads(state), openDownloads(state)];
    for (const one of processes) for (let count = 0; count < 50; count += 1) one.count('acme/hello', '1.0.0');
    await Promise.all(processes.map((one) => one.flush()));
    expect([...(await openDownloads(state).totals())]).toEqual([['acme/hello', 100]]);
    expect([...(await openDownloads(state).byDay())]).toEqual([['2026-01-31', 100]]);
  });

  it('are stored by day for 400 days, and their total stays', async () => {
    const state = createMemoryStore();
    let now = start;
    const downloads = openDownloads(state, () => now);
    downloads.count('acme/hello', '1.0.0');
    await downloads.flush();
    now += 399 * dayMs;
    expect(await downloads.daysOf('acme/hello')).toHaveLength(1);
    now += dayMs;
    expect(await downloads.daysOf('acme/hello')).toEqual([]);
    downloads.count('acme/hello', '1.0.0');
    await downloads.flush();
    expect((await state.range('download')).map(({ key }) => key)).toEqual([
      'download-day/2027-03-07',
      'download-total/acme/hello',
      'download-versions/acme/hello',
      'downloads/acme/hello/2027-03-07',
    ]);
    expect((await downloads.totals()).get('acme/hello')).toBe(2);
  });

  it('that could not be stored are stored later', async () => {
    const memory = createMemoryStore();
    let broken = true;
    const state: StateStore = {
      ...memory,
      commit: (change) => (broken ? Promise.reject(new Error('the disk is full')) : memory.commit(change)),
    };
    const downloads = openDownloads(state);
    downloads.count('acme/hello', '1.0.0');
    await expect(downloads.flush()).rejects.toThrow('the disk is full');
    downloads.count('acme/hello', '1.0.0');
    broken = false;
    await downloads.flush();
    expect((await downloads.totals()).get('acme/hello')).toBe(2);
  });

  it.each(['ENOSPC', 'EROFS'])(
    'are readable while the disk refuses writes (%s), with the unwritten ones',
    async (code) => {
      const memory = createMemoryStore();
      const fault: { code?: string } = {};
      const state: StateStore = {
        ...memory,
        commit: (change) =>
          fault.code === undefined
            ? memory.commit(change)
            : Promise.reject(Object.assign(new Error('no write'), fault)),
      };
      const downloads = openDownloads(state);
      downloads.count('acme/hello', '1.0.0');
      await downloads.flush();
      fault.code = code;
      downloads.count('acme/hello', '1.0.0');
      downloads.count('acme/hello', '1.1.0');
      downloads.count('acme/new', '2.0.0');
      const read = async () => ({
        days: [plain(await downloads.daysOf('acme/hello')), plain(await downloads.daysOf('acme/new'))],
        totals: [
          [...(await downloads.totals())],
          await downloads.totalOf('acme/hello'),
          await downloads.totalOf('acme/new'),
        ],
        versions: [
          plain([...(await downloads.versionTotals())].map(([date, versions]) => ({ date, versions }))),
          plain([...(await downloads.versionTotals('acme/hello'))].map(([date, versions]) => ({ date, versions }))),
        ],
      });
      const full = {
        days: [[['2026-01-31', { '1.0.0': 2, '1.1.0': 1 }]], [['2026-01-31', { '2.0.0': 1 }]]],
        totals: [
          [
            ['acme/hello', 3],
            ['acme/new', 1],
          ],
          3,
          1,
        ],
        versions: [
          [
            ['acme/hello', { '1.0.0': 2, '1.1.0': 1 }],
            ['acme/new', { '2.0.0': 1 }],
          ],
          [['acme/hello', { '1.0.0': 2, '1.1.0': 1 }]],
        ],
      };
      expect(await read()).toEqual(full);
      delete fault.code;
      expect(await read()).toEqual(full);
    },
  );
});
