// Tests the days of a chart.

import { expect, it } from 'vitest';
import { everyDay } from '../../../../../proxy/console/components/day-chart.tsx';

it('lists each day until today in UTC, with 0 for a day without a count', () => {
  const nowMs = Date.parse('2026-03-01T00:30:00Z');
  expect(
    everyDay(
      [
        { date: '2026-02-28', count: 3 },
        { date: '2026-01-01', count: 9 },
      ],
      3,
      nowMs,
    ),
  ).toEqual([
    { date: '2026-02-27', count: 0 },
    { date: '2026-02-28', count: 3 },
    { date: '2026-03-01', count: 0 },
  ]);
});
