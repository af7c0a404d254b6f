// Parses the value of a flag that says how often something happens.

import { UsageError } from './usage-error.ts';

const unitSeconds: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds. */
const leastInterval = 60;
const mostInterval = 366 * 86_400;

/** `15m`, `12h`, `1d`, or seconds; undefined: not given. Throws UsageError with the name of the flag. */
export function intervalOf(flag: string, given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const [, count = '', unit = ''] = /^(\d{1,8})([smhd]?)$/.exec(String(given)) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (count !== '' && seconds >= leastInterval && seconds <= mostInterval) return seconds;
  throw new UsageError(
    `${flag} is ${JSON.stringify(given)}; allowed: a span such as 15m, 12h or 1d, from a minute to a year.`,
  );
}
