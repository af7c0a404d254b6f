// Tests how often the log reports an outage of the counters: row 80.

import { describe, expect, it } from 'vitest';
import { createCountersNotices, type CountersNotice } from '../../../../../proxy/core/limits/counters-notices.ts';

describe('the log of the counters', () => {
  it('row 80: reports a lasting outage once a minute', () => {
    let nowMs = 0;
    const notices: CountersNotice[] = [];
    const { degraded } = createCountersNotices(
      (notice) => notices.push(notice),
      () => nowMs,
    );
    for (; nowMs < 150_000; nowMs += 500) degraded(new Error('gone'));
    expect(notices).toEqual([1, 2, 3].map(() => ({ state: 'degraded', reason: 'gone' })));
  });

  it('row 80: reports a server that comes and goes a few times a minute and no more', () => {
    let nowMs = 0;
    const notices: CountersNotice[] = [];
    const { degraded, recovered } = createCountersNotices(
      (notice) => notices.push(notice),
      () => nowMs,
    );
    for (; nowMs < 60_000; nowMs += 1000) {
      degraded('slow');
      recovered();
    }
    expect(notices.map(({ state }) => state)).toEqual([1, 2, 3, 4, 5].flatMap(() => ['degraded', 'recovered']));
  });
});
