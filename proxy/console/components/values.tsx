// Numbers and moments as people say them, a moment with the exact time for those who point at it. With JavaScript the
// exact time is in the reader's zone, without it in UTC. A page that is stored shows the day, because it does not know
// when it is read.

import { createContext, useContext, type Child } from 'hono/jsx';

const grouped = new Intl.NumberFormat('en', { useGrouping: true });

/** `12 345`, with a narrow space. */
export function formatNumber(value: number): string {
  return grouped.format(value).replaceAll(',', '\u202F');
}

/** `1 version`, `12 345 versions`. `several`: default the word with an s. */
export function formatCount(value: number, one: string, several = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : several}`;
}

/** `512 B`, `1.4 kB`, `23 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, at] = [bytes, 0];
  while (value >= 999.5 && at < units.length - 1) [value, at] = [value / 1000, at + 1];
  return `${at === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[at] ?? ''}`;
}

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, milliseconds: number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
/** Ends of tokens and invitations: a plan for the next weeks needs the days. */
const countedDays = 100;
const minuteMs = 60_000;
const dayMs = 86_400_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** When the page is shown, in epoch milliseconds; undefined: the page is stored. */
export const NowContext = createContext<number | undefined>(undefined);

/** The same for what only the console shows. */
export function useNow(): number {
  const nowMs = useContext(NowContext);
  if (nowMs === undefined) throw new Error('a stored page does not know when it is shown');
  return nowMs;
}

interface TimeProps {
  /** RFC 3339 */
  readonly at: string | null | undefined;
  /** stands where there is no moment */
  readonly none?: Child;
}

export function Time({ at, none = '' }: TimeProps): Child {
  const nowMs = useContext(NowContext);
  if (at === null || at === undefined) return none;
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return at;
  const exact = new Date(ms).toISOString();
  return (
    <time datetime={exact} title={inUtc(exact)}>
      {nowMs === undefined ? exact.slice(0, 10) : relativeTime(ms, nowMs)}
    </time>
  );
}

/** For a sentence: `2026-11-24 13:41 UTC`. `at`: RFC 3339 UTC. */
export function ExactTime({ at }: { readonly at: string }): Child {
  return (
    <time datetime={at} title={inUtc(at)}>
      {inUtc(at)}
    </time>
  );
}

/** `2026-11-24 13:41 UTC`. `exact`: RFC 3339 UTC. */
export function inUtc(exact: string): string {
  return `${exact.slice(0, 16).replace('T', ' ')} UTC`;
}

/** `3 days ago`, `in 90 days`, `just now`. */
export function relativeTime(ms: number, nowMs: number): string {
  const difference = ms - nowMs;
  // a page is shown some seconds after the form that chose the end
  const days = Math.floor((difference + minuteMs) / dayMs);
  if (days >= 1 && days < countedDays) return relative.format(days, 'day');
  const [unit, size] = steps.find(([, step]) => Math.abs(difference) >= step) ?? [];
  return unit === undefined || size === undefined ? 'just now' : relative.format(Math.trunc(difference / size), unit);
}
