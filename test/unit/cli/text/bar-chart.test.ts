// Tests the chart of counts by day.

import { describe, expect, it } from 'vitest';
import { drawBarChart } from '../../../../cli/text/bar-chart.ts';

const days = (...counts: readonly number[]) =>
  counts.map((count, at) => ({ date: new Date(Date.UTC(2027, 0, 1 + at)).toISOString().slice(0, 10), count }));

describe('the chart', () => {
  it('has a bar for each day, as high as its count', () => {
    expect(drawBarChart(days(0, 1, 20, 40), { title: 'Installs', width: 80, blocks: true })).toEqual([
      'Installs a day, 2027-01-01 to 2027-01-04:',
      '40 ┤         ███',
      '   ┤         ███',
      '   ┤      ▄▄▄███',
      '   ┤      ██████',
      ' 0 ┤   ▁▁▁██████',
    ]);
  });

  it('fits the terminal: many days share a bar', () => {
    const lines = drawBarChart(days(...Array.from({ length: 365 }, () => 2)), {
      title: 'Installs',
      width: 60,
      blocks: true,
    });
    expect(lines[0]).toBe('Installs per 7 days, 2027-01-01 to 2027-12-31:');
    expect(lines[1]).toMatch(/^14 ┤█{52}$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
  });

  it('draws # on a terminal without block elements', () => {
    const lines = drawBarChart(days(1, 10), { title: 'Downloads', width: 60, blocks: false });
    expect(lines).toEqual([
      'Downloads a day, 2027-01-01 to 2027-01-02:',
      '10 |   ###',
      '   |   ###',
      '   |   ###',
      '   |   ###',
      ' 0 |######',
    ]);
  });

  it('is flat without counts, and empty without days', () => {
    expect(drawBarChart(days(0, 0), { title: 'Installs', width: 40, blocks: true })).toHaveLength(6);
    expect(drawBarChart([], { title: 'Installs', width: 40, blocks: true })).toEqual([]);
  });
});
