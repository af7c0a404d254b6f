// Tests the rate and the remaining time of a build's progress, with a clock of the test.

import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../../../build/contract/build-report.ts';
import { createPace } from '../../../../cli/io/progress.ts';

/** The text after the last of these events, given as `[seconds, done]`. */
function paceAfter(
  events: readonly (readonly [seconds: number, done: number])[],
  total: number,
  phase: ProgressEvent['phase'] = 'archive',
): string {
  const pace = createPace();
  return events.map(([seconds, done]) => pace({ phase, done, total }, seconds * 1000)).at(-1) ?? '';
}

describe('the pace of a task', () => {
  it.each([
    ['a fast task', [[0, 10], [4, 150]], 900, '35/s, 22 s left'], // oxfmt-ignore
    ['a slow task', [[0, 1], [60, 6]], 200, '5/min, 39 min left'], // oxfmt-ignore
    ['a task of hours', [[0, 1], [10, 2]], 1000, '6/min, 2 h 46 min left'], // oxfmt-ignore
    ['its end', [[0, 1], [5, 100]], 100, '20/s, 0 s left'], // oxfmt-ignore
  ] as const)('%s has a rate and a remaining time', (_, events, total, text) => {
    expect(paceAfter(events, total)).toBe(text);
  });

  it.each([
    ['in its first two seconds', [[0, 1], [1.9, 500]], 900], // oxfmt-ignore
    ['with one event', [[0, 1]], 900],
    ['without an end', [[0, 0], [10, 0]], 0], // oxfmt-ignore
    ['that stands still', [[0, 1], [10, 1]], 900], // oxfmt-ignore
  ] as const)('a task %s has none', (_, events, total) => {
    expect(paceAfter(events, total)).toBe('');
  });

  it('forgets the rate of a minute ago', () => {
    const slow = Array.from({ length: 60 }, (_, second) => [second, second] as const);
    const fast = Array.from({ length: 20 }, (_, second) => [60 + second, 60 + second * 10] as const);
    expect(paceAfter([...slow, ...fast], 350)).toBe('10/s, 10 s left');
  });

  it('begins anew with each phase', () => {
    const pace = createPace();
    pace({ phase: 'scan', done: 1, total: 50 }, 0);
    expect(pace({ phase: 'scan', done: 21, total: 50 }, 4000)).not.toBe('');
    expect(pace({ phase: 'archive', done: 1, total: 50 }, 5000)).toBe('');
    expect(pace({ phase: 'archive', done: 11, total: 50 }, 10_000)).toBe('2.0/s, 20 s left');
  });
});
