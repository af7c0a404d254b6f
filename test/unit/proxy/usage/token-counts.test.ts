// Tests the counts by token: added to the rows of the state, folded after 90 days, limited, and removed after the
// retention.

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import { tokenHashKey, tokenKey, type TokenId } from '../../../../proxy/core/tokens/token.ts';
import { tokenRunKey } from '../../../../proxy/publishers/model/token-run.ts';
import { createTokenCounts, type TokenCountsOptions } from '../../../../proxy/usage/token-counts.ts';
import { countVersions, parseUsageRow, rowsIn, type UsageRow } from '../../../../proxy/usage/usage-row.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 31, 12);
const idOf = (text: string): TokenId => `tok_${text.padEnd(16, '0')}` as TokenId;

function open(options: Partial<TokenCountsOptions> = {}) {
  const state = options.state ?? createMemoryStore();
  const clock = { now: start };
  const sentences: string[] = [];
  const counts = createTokenCounts({
    state,
    now: () => clock.now,
    by: () => 'token',
    retention: () => 400,
    everyMs: 0,
    onError: (error) => {
      throw error;
    },
    onCut: (sentence) => void sentences.push(sentence),
    ...options,
  });
  const addToken = async (
    text: string,
    run?: { readonly ref: string; readonly publisher: string },
  ): Promise<string> => {
    const id = idOf(text);
    const author = run === undefined ? 'cli:root' : `publisher:${run.publisher}`;
    const token = {
      id,
      description: `Token ${text}`,
      kind: 'read',
      limit: null,
      created_by: author,
      hash: `h-${text}`,
    };
    const times = { created_at: '2026-01-01T00:00:00.000Z', expires_at: null, revoked_at: null };
    const job = {
      issuer: 'i',
      repository: 'acme/shop',
      run_id: '7',
      run_attempt: null,
      run_url: `https://ci.test/${text}`,
    };
    await state.commit({
      conditions: [],
      puts: [
        { key: tokenKey(id), value: { ...token, ...times } },
        { key: tokenHashKey(`h-${text}` as never), value: id },
        ...(run === undefined
          ? []
          : [
              {
                key: tokenRunKey(id),
                value: {
                  run: { ...job, ...run, commit: null, workflow: null },
                  hash: 'h',
                  expires_at: times.created_at,
                },
              },
            ]),
      ],
      deletes: [],
    });
    return id;
  };
  const rows = async (): Promise<Record<string, UsageRow | undefined>> => {
    const found = await state.range('used/');
    for (const entry of await state.range('used-rows/')) {
      const counted = await countVersions(state, entry.key.slice('used-rows/'.length));
      // of two users on one day, either is the last
      const known = (versions: object) =>
        JSON.stringify(Object.entries(versions).toSorted()).replaceAll(/,"[^"]*"\]/g, ']');
      expect(known(rowsIn(entry).versions ?? counted)).toBe(known(counted));
    }
    return Object.fromEntries(found.map(({ key, value }) => [key.slice(5), parseUsageRow(value)]));
  };
  return { state, clock, counts, sentences, addToken, rows };
}

describe('counts by token', () => {
  it('of two processes add up in one row, with downloads and installs', async () => {
    const one = open();
    const other = open({ state: one.state });
    const id = await one.addToken('a');
    for (let at = 0; at < 20; at += 1)
      for (const { counts } of [one, other]) counts.count('acme/hello', '1.0.0', [1, 0], id);
    other.counts.count('acme/hello', '1.0.0', [0, 1], id);
    one.counts.count('acme/hello', '1.1.0', [1, 0], id);
    await Promise.all([one.counts.flush(), other.counts.flush()]);
    const row = (await one.rows())[`acme/hello/${id}`];
    expect(row?.who).toMatchObject({ id, description: 'Token a', kind: 'read' });
    expect(row?.versions['1.0.0']).toMatchObject({
      first: '2026-01-31',
      last: '2026-01-31',
      installed: '2026-01-31',
      sum: [40, 1],
    });
    expect(row?.versions['1.1.0']).toMatchObject({ sum: [1, 0], installed: null });
    expect((await one.state.range('used-')).map(({ key, value }) => [key, value])).toEqual([
      [`used-by/${id}/acme/hello`, 1],
      [
        'used-rows/acme/hello',
        {
          rows: 1,
          cut: 0,
          versions: { '1.0.0': [1, 0, '2026-01-31', id], '1.1.0': [1, 0, '2026-01-31', id] },
        },
      ],
    ]);
  });

  it('keep days for 90 days, and older ones in the sum', async () => {
    const { clock, counts, addToken, rows } = open();
    const id = await addToken('a');
    for (const days of [0, 1, 89, 1]) {
      clock.now += days * dayMs;
      counts.count('acme/hello', '1.0.0', [1, 0], id);
      await counts.flush();
    }
    const use = (await rows())[`acme/hello/${id}`]?.versions['1.0.0'];
    expect([use?.first, use?.last, use?.sum]).toEqual(['2026-01-31', '2026-05-02', [4, 0]]);
    expect(Object.keys(use?.days ?? {})).toEqual(['2026-05-01', '2026-05-02']);
  });

  it('of jobs of a publisher are one row for each ref, with the last run', async () => {
    const { counts, addToken, rows } = open();
    const publisher = `pub_${'p'.repeat(16)}`;
    for (const [text, ref] of [
      ['a', 'main'],
      ['b', 'main'],
      ['c', 'next'],
    ] as const) {
      counts.count('acme/hello', '1.0.0', [1, 0], await addToken(text, { ref, publisher }));
      await counts.flush();
    }
    const found = Object.entries(await rows()).map(([key, row]) => [key.split(':')[0], row]);
    expect(found).toMatchObject([
      [`acme/hello/${publisher}`, {}],
      [`acme/hello/${publisher}`, {}],
    ]);
    const users = found.map(([, row]) => (row as UsageRow).who);
    expect(users.map(({ description, run_url }) => [description, run_url]).toSorted()).toEqual([
      ['acme/shop main', 'https://ci.test/b'],
      ['acme/shop next', 'https://ci.test/c'],
    ]);
  });

  it('are limited to the newest users and versions, with a notice', async () => {
    const { clock, counts, sentences, addToken, rows, state } = open({ most: { mostRows: 20, mostVersions: 2 } });
    for (let at = 0; at < 21; at += 1) {
      const id = await addToken(`t${at}x`);
      counts.count('acme/hello', '1.0.0', [1, 0], id);
      if (at === 20) for (const version of ['2.0.0', '3.0.0']) counts.count('acme/hello', version, [1, 0], id);
      await counts.flush();
      clock.now += dayMs;
    }
    const left = await rows();
    expect(Object.keys(left)).toHaveLength(19);
    expect(left[`acme/hello/${idOf('t0x')}`]).toBeUndefined();
    expect(left[`acme/hello/${idOf('t1x')}`]).toBeUndefined();
    expect(left[`acme/hello/${idOf('t20x')}`]).toMatchObject({ cut: 1 });
    expect(sentences).toEqual(['acme/hello has more than 20 users: those who used it longest ago are removed']);
    expect((await state.get('used-rows/acme/hello'))?.value).toEqual({ rows: 19, cut: 2 });
    expect(await state.range('used-by/')).toHaveLength(19);
  });

  it('are kept for the retention after the last use, also while nothing is counted', async () => {
    let by = 'token';
    const { clock, counts, addToken, rows, state } = open({ by: () => by, retention: () => 30 });
    const [a, b] = [await addToken('a'), await addToken('b')];
    for (const id of [a, b]) counts.count('acme/hello', '1.0.0', [1, 0], id);
    await counts.flush();
    clock.now += 10 * dayMs;
    counts.count('acme/hello', '2.0.0', [1, 0], b);
    await counts.flush();
    by = 'version';
    counts.count('acme/hello', '1.0.0', [1, 0], a);
    clock.now += 20 * dayMs;
    await counts.flush();
    expect(Object.keys(await rows())).toEqual([`acme/hello/${b}`]);
    expect((await state.get('usage/counting'))?.value).toMatchObject({ since: null });
    clock.now += 10 * dayMs;
    await counts.flush();
    expect(await state.range('used')).toEqual([]);
  });

  it('of days that are long past are only in the sum, also where nobody used the version since', async () => {
    const { clock, counts, addToken, rows } = open({ retention: () => 150 });
    const id = await addToken('a');
    counts.count('acme/hello', '1.0.0', [1, 0], id);
    await counts.flush();
    clock.now += 60 * dayMs;
    counts.count('acme/hello', '2.0.0', [2, 0], id);
    await counts.flush();
    const daysOf = async () =>
      Object.entries((await rows())[`acme/hello/${id}`]?.versions ?? {}).map(([version, { sum, days }]) => [
        version,
        sum,
        Object.keys(days),
      ]);
    clock.now += 31 * dayMs;
    await counts.flush();
    expect(await daysOf()).toEqual([
      ['2.0.0', [2, 0], ['2026-04-01']],
      ['1.0.0', [1, 0], []],
    ]);
    clock.now += 60 * dayMs;
    await counts.flush();
    expect(await daysOf()).toEqual([['2.0.0', [2, 0], []]]);
  });

  it('of a process whose clock is a day behind do not move the last day back', async () => {
    const { clock, counts, addToken, rows } = open();
    const id = await addToken('a');
    for (const days of [0, -1]) {
      clock.now += days * dayMs;
      counts.count('acme/hello', '1.0.0', [1, 1], id);
      await counts.flush();
    }
    const use = (await rows())[`acme/hello/${id}`]?.versions['1.0.0'];
    expect(use).toMatchObject({ last: '2026-01-31', installed: '2026-01-31', sum: [2, 2] });
  });

  it('that could not be stored are added with the next write, and no more than the limit wait', async () => {
    const memory = createMemoryStore();
    let isFull = true;
    const commit: typeof memory.commit = (change) =>
      isFull && change.puts.some(({ key }) => key.startsWith('used/'))
        ? Promise.reject(new Error('full'))
        : memory.commit(change);
    const { counts, sentences, addToken, rows } = open({ state: { ...memory, commit }, mostPending: 2 });
    const id = await addToken('a');
    for (const at of [0, 1, 2, 3]) counts.count('acme/hello', `1.${at}.0`, [1, 0], id);
    await expect(counts.flush()).rejects.toThrow('full');
    for (const at of [0, 4]) counts.count('acme/hello', `1.${at}.0`, [1, 0], id);
    await expect(counts.flush()).rejects.toThrow('full');
    expect(sentences).toEqual([expect.stringContaining('too many wait in memory')]);
    isFull = false;
    await counts.flush();
    const versions = (await rows())[`acme/hello/${id}`]?.versions ?? {};
    expect(Object.entries(versions).map(([version, { sum }]) => [version, sum])).toEqual([
      ['1.0.0', [2, 0]],
      ['1.1.0', [1, 0]],
    ]);
    counts.count('acme/hello', '1.4.0', [1, 0], id);
    await counts.flush();
    expect((await rows())[`acme/hello/${id}`]?.versions['1.4.0']).toMatchObject({ sum: [1, 0] });
  });
});
