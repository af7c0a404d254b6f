// Tests when a feed is asked again.

import { expect, it } from 'vitest';
import { nextRunAt } from '../../../../proxy/advisory-feeds/schedule.ts';

const minute = 60_000;
const at = (failures: number, unfinished = false, random = 0.5): number =>
  Math.round(
    nextRunAt({ triedAtMs: 0, failures, unfinished }, { everyMs: 60 * minute, random: () => random }) / minute,
  );

it('waits for the interval, less after an unfinished run, and ever longer while the feed fails', () => {
  expect(at(0)).toBe(60);
  expect([at(0, false, 0), at(0, false, 1)]).toEqual([54, 66]);
  expect(at(0, true)).toBe(1);
  expect([1, 2, 3, 7, 500].map((failures) => at(failures))).toEqual([1, 2, 4, 60, 60]);
});
