// Tests when a feed is asked again.

import { expect, it } from 'vitest';
import { nextRunAt } from '../../../../proxy/advisory-feeds/schedule.ts';

const minute = 60_000;
const minutesUntil = (failures: number, unfinished: boolean, random: number, hasCopy: boolean): number =>
  nextRunAt({ triedAtMs: 0, failures, unfinished, hasCopy }, { everyMs: 60 * minute, random: () => random }) / minute;
const at = (failures: number, unfinished = false, random = 0.5): number =>
  Math.round(minutesUntil(failures, unfinished, random, true));

it('waits for the interval, less after an unfinished run, and ever longer while the feed fails', () => {
  expect(at(0)).toBe(60);
  expect([at(0, false, 0), at(0, false, 1)]).toEqual([54, 66]);
  expect(at(0, true)).toBe(1);
  expect([1, 2, 3, 7, 500].map((failures) => at(failures))).toEqual([1, 2, 4, 60, 60]);
});

it('waits less after a failure while the feed has no complete copy', () => {
  const waits = [1, 2, 3, 7, 500].map((failures) => minutesUntil(failures, false, 0.5, false));
  expect(waits).toEqual([0.25, 0.5, 1, 10, 10]);
  expect(minutesUntil(0, false, 0.5, false)).toBe(60);
});
