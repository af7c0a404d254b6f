// Tests the order of first hits: an id is a hash, so a list of many hits must not compute more of them than it needs.

import { expect, it } from 'vitest';
import { newestFirst } from '../../../../../proxy/policy/records/policy-hits.ts';
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
