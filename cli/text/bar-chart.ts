// A small bar chart of counts by day, for a terminal. Pure.

export interface Day {
  /** `2026-01-31` */
  readonly date: string;
  readonly count: number;
}

export interface ChartOptions {
  /** the name of the counts, such as `Installs` */
  readonly title: string;
  /** columns of the terminal */
  readonly width: number;
  /** false: the terminal shows no block elements */
  readonly blocks: boolean;
}

const height = 5;
const widestBar = 3;
const eighths = ' ▁▂▃▄▅▆▇█';

/**
 * Lines no longer than `width`: a title, the bars, and the first and last day. Where there are more days than columns,
 * a bar is the sum of several days. Empty without days.
 */
export function drawBarChart(days: readonly Day[], { title, width, blocks }: ChartOptions): string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const widestCount = days.reduce((sum, { count }) => sum + count, 0);
  const room = Math.max(1, width - String(widestCount).length - 3);
  const daysInBar = Math.ceil(days.length / room);
  const bars = sumsOf(days, daysInBar);
  const columns = Math.max(1, Math.min(widestBar, Math.floor(room / bars.length)));
  const most = Math.max(1, ...bars);
  const gutter = String(most).length;
  const rows = Array.from({ length: height }, (_, line) => {
    const level = height - 1 - line;
    const label = line === 0 ? String(most) : level === 0 ? '0' : '';
    const cells = bars.map((count) => cellOf(count / most, level, blocks).repeat(columns));
    return `${label.padStart(gutter)} ${blocks ? '┤' : '|'}${cells.join('')}`.trimEnd();
  });
  const period = daysInBar === 1 ? 'a day' : `per ${daysInBar} days`;
  const dates = first === last ? first.date : `${first.date} to ${last.date}`;
  return [`${title} ${period}, ${dates}:`, ...rows].map((line) => line.slice(0, width));
}

function sumsOf(days: readonly Day[], daysInBar: number): readonly number[] {
  const bars: number[] = [];
  for (let at = 0; at < days.length; at += daysInBar)
    bars.push(days.slice(at, at + daysInBar).reduce((sum, { count }) => sum + count, 0));
  return bars;
}

/** `share`: 0 to 1 of the highest bar. A count above 0 is visible, however small. */
function cellOf(share: number, level: number, blocks: boolean): string {
  const filled = share === 0 ? 0 : Math.max(1, Math.round(share * height * 8));
  const here = Math.max(0, Math.min(8, filled - level * 8));
  if (blocks) return eighths[here] ?? ' ';
  return here >= 4 || (here > 0 && level === 0) ? '#' : ' ';
}
