// Tests when a smaller list is an alarm.

import { expect, it } from 'vitest';
import { shrinkageOf } from '../../../../../proxy/advisory-feeds/model/shrinkage.ts';

it.each([
  [0, 0, false],
  [1, 0, true],
  [19, 1, false],
  [20, 10, false],
  [20, 9, true],
  [1000, 499, true],
  [1000, 2000, false],
])('a list that goes from %i to %i rows is an alarm: %s', (before, after, isAlarm) => {
  expect(shrinkageOf(before, after)).toEqual(isAlarm ? { from: before, to: after } : undefined);
});
