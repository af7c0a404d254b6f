// A bar chart of days, drawn on the server. Each bar says its day and number to those who point at it, and a table says
// them to those who listen.

import type { Child } from 'hono/jsx';
import { formatCount, formatNumber } from './values.tsx';

export interface DayCount {
  /** a day in UTC, `2026-01-31` */
  readonly date: string;
  readonly count: number;
}

interface DayChartProps {
  /** every day of the range, oldest first */
  readonly days: readonly DayCount[];
  /** what is counted, one of them: `download` */
  readonly unit: string;
}

const barWidth = 8;
const step = 10;
const height = 100;
const dayMs = 86_400_000;

export function DayChart({ days, unit }: DayChartProps): Child {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure class="stack-tight">
      <svg
        class="chart days"
        viewBox={`0 0 ${days.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${formatCount(total, unit)} in ${formatCount(days.length, 'day')}; the most on a day: ${formatNumber(most)}`}
      >
        {days.map((day, at) => (
          <Bar {...{ day, unit, most }} x={at * step} />
        ))}
      </svg>
      <figcaption class="row small soft">
        <span>{shown.formatRange(dayOf(days[0]?.date), dayOf(days.at(-1)?.date))}</span>
        <span class="row-end">{`highest: ${formatCount(most, unit)}`}</span>
      </figcaption>
      <Numbers {...{ days, unit }} />
    </figure>
  );
}

interface BarProps {
  readonly day: DayCount;
  readonly unit: string;
  readonly most: number;
  readonly x: number;
}

/** The whole height of the day answers the pointer, because a bar of few is hard to meet. */
function Bar({ day: { date, count }, unit, most, x }: BarProps): Child {
  const size = count === 0 ? 1 : Math.max(3, Math.round((count / most) * height));
  return (
    <g>
      <title>{`${formatDay(date)}: ${formatCount(count, unit)}`}</title>
      <rect class="day" x={x} y={0} width={step} height={height} />
      <rect class={count === 0 ? 'axis' : 'bar'} x={x + 1} y={height - size} width={barWidth} height={size} />
    </g>
  );
}

function Numbers({ days, unit }: DayChartProps): Child {
  const used = days.filter(({ count }) => count > 0);
  if (used.length === 0) return null;
  return (
    <div class="unseen">
      <table>
        <caption>{`Days with ${unit}s`}</caption>
        <tbody>
          {used.map(({ date, count }) => (
            <tr>
              <th scope="row">{formatDay(date)}</th>
              <td>{formatNumber(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The last `length` days until today in UTC, with 0 for days that are not among `counts`. */
export function everyDay(counts: readonly DayCount[], length: number, nowMs: number): readonly DayCount[] {
  const known = new Map(counts.map(({ date, count }) => [date, count]));
  return Array.from({ length }, (_, at) => {
    const date = new Date(nowMs - (length - 1 - at) * dayMs).toISOString().slice(0, 10);
    return { date, count: known.get(date) ?? 0 };
  });
}

const shown = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** `Nov 21, 2026`. */
const formatDay = (date: string): string => shown.format(dayOf(date));
const dayOf = (date: string | undefined): Date => new Date(`${date ?? '1970-01-01'}T00:00:00Z`);
