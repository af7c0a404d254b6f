// Tests the log lines about a failing origin, and their rate.

import { expect, it } from 'vitest';
import { OriginFailureLog, type OriginNotice } from '../../../../proxy/origin/origin-failure-log.ts';

it('the log reports a failing origin once a minute with the number of failures, and its return at once', () => {
  let nowMs = 0;
  const notices: OriginNotice[] = [];
  const failures = new OriginFailureLog({ notice: (notice) => void notices.push(notice), monotonicMs: () => nowMs });
  failures.reached();
  for (; nowMs < 150_000; nowMs += 1000) failures.failed('publication', new Error('no'));
  expect(notices).toEqual([
    { state: 'failing', reason: 'no', failures: 1 },
    { state: 'failing', reason: 'no', failures: 60 },
    { state: 'failing', reason: 'no', failures: 60 },
  ]);
  expect(failures.stale()).toBe(true);
  failures.reached();
  failures.reached();
  expect([notices.length, notices.at(-1), failures.stale()]).toEqual([4, { state: 'recovered' }, false]);
});

it('the log reports a new cause at once and each cause once a minute; another file is no new cause', () => {
  let nowMs = 0;
  const reasons: string[] = [];
  const failures = new OriginFailureLog({
    notice: ({ reason = '' }) => void reasons.push(reason),
    monotonicMs: () => nowMs,
  });
  const digest = (letter: string): string => letter.repeat(40);
  for (; nowMs < 59_000; nowMs += 1000) {
    failures.failed('text', new Error(`the origin answered 500 for public/p2/acme/${nowMs}.json`));
    failures.failed(
      'archive',
      new Error(
        `the origin's public/dist/acme/${nowMs}.zip has ${nowMs} bytes and SHA-1 ${digest('a')}, the index says 7 and ${digest('b')}`,
      ),
    );
    if (nowMs > 30_000) failures.failed('text', new Error(`the origin answered 403 for public/p2/acme/${nowMs}.json`));
  }
  expect(reasons).toHaveLength(3);
  expect(reasons.map((reason) => /answered \d+|SHA-1/.exec(reason)?.[0])).toEqual([
    'answered 500',
    'SHA-1',
    'answered 403',
  ]);
  nowMs = 61_000;
  failures.failed('text', new Error('the origin answered 500 for public/p2/acme/x.json'));
  failures.failed('text', new Error('the origin answered 403 for public/p2/acme/x.json'));
  expect(reasons.slice(3).map((reason) => /answered \d+/.exec(reason)?.[0])).toEqual(['answered 500']);
  for (let at = 0; at < 100; at += 1) failures.failed('text', new Error(`words ${'x'.repeat(at)}`));
  expect(reasons.length).toBeLessThan(14);
});

it('answers are marked as stale for a while after a document failed, and not after an archive failed', () => {
  let nowMs = 0;
  const failures = new OriginFailureLog({ notice: () => undefined, monotonicMs: () => nowMs });
  failures.failed('archive', new Error('no'));
  expect(failures.stale()).toBe(false);
  failures.failed('text', new Error('no'));
  expect(failures.stale()).toBe(true);
  nowMs = 10_000;
  expect(failures.stale()).toBe(false);
});
