// Tests the order of first hits: an id is a hash, so a list of many hits must not compute more of them than it needs. And
// what a newer version of the program wrote.

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';
import { hitKey, newestFirst, readHits } from '../../../../../proxy/policy/records/policy-hits.ts';
import type { PolicyHit } from '../../../../../proxy/policy/records/policy-hits.ts';

let read = 0;

/** Counts the computed ids: each one reads the normalized version once. */
function hit(minor: number, at: string): PolicyHit {
  return {
    rule: 'age',
    action: 'block',
    name: 'acme/hello',
    version: `1.${minor}.0`,
    get normalized() {
      read++;
      return `1.${minor}.0.0`;
    },
    released_ms: null,
    because: 'it is too young',
    token: null,
    at,
  };
}

it('orders hits by their time without any id, and hits of one time with one id each', () => {
  const numbers = Array.from({ length: 500 }, (_, at) => (at * 7) % 500);
  const timeOf = (number: number): string => new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
  const apart = newestFirst(numbers.map((number) => hit(number, timeOf(number))));
  expect(apart.map(({ at }) => at)).toEqual(numbers.map(timeOf).toSorted().toReversed());
  expect(read).toBe(0);
  newestFirst(numbers.map((number) => hit(number, timeOf(0))));
  expect(read).toBe(500);
});

it('lists no hit with an action of a newer version, and all others', async () => {
  const store = createMemoryStore();
  const known = { ...hit(1, '2026-01-01T00:00:00.000Z') };
  const newer = { ...known, action: 'delay', since_release: '9.0' };
  const put = (row: JsonObject): Promise<boolean> =>
    store.commit({
      conditions: [],
      puts: [{ key: hitKey(row as unknown as PolicyHit), value: row }],
      deletes: [],
    });
  for (const row of [known, newer]) await put(row);
  expect(await readHits(store)).toEqual([known]);
  await put({ ...known, at: 'yesterday' });
  await expect(readHits(store)).rejects.toThrow('hit of the policy');
});
