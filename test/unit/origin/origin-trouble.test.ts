// Who is told that an origin fails, and how often.

import { expect, it } from 'vitest';
import { OriginTrouble, type OriginNotice } from '../../../proxy/origin/origin-trouble.ts';

it('tells that the origin fails once a minute with how often, and that it is back at once', () => {
  let nowMs = 0;
  const notices: OriginNotice[] = [];
  const trouble = new OriginTrouble({ notice: (notice) => void notices.push(notice), monotonicMs: () => nowMs });
  trouble.reached();
  for (; nowMs < 150_000; nowMs += 1000) trouble.failed('publication', new Error('no'));
  expect(notices).toEqual([{ state: 'failing', reason: 'no', failures: 1 }, { state: 'failing', reason: 'no', failures: 60 }, { state: 'failing', reason: 'no', failures: 60 }]);
  expect(trouble.stale()).toBe(true);
  trouble.reached();
  trouble.reached();
  expect([notices.length, notices.at(-1), trouble.stale()]).toEqual([4, { state: 'recovered' }, false]);
});

it('calls what is served stale for a while after a document was not to be had, and not for an archive', () => {
  let nowMs = 0;
  const trouble = new OriginTrouble({ notice: () => undefined, monotonicMs: () => nowMs });
  trouble.failed('archive', new Error('no'));
  expect(trouble.stale()).toBe(false);
  trouble.failed('text', new Error('no'));
  expect(trouble.stale()).toBe(true);
  nowMs = 10_000;
  expect(trouble.stale()).toBe(false);
});
