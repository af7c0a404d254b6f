// A length of time as a flag gives it: `12h`, `90d`, `4w`, or 0.

import { UsageError } from '../io/usage-error.ts';

const hourMs = 3_600_000;
const unitMs: Readonly<Record<string, number>> = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs };

/** Milliseconds. Throws UsageError; `flag` names it there. */
export function parseSpan(flag: string, text: unknown): number {
  const match = /^(\d{1,5})([hdw])$/.exec(String(text));
  if (match === null && text !== '0')
    throw new UsageError(
      `${flag} is ${JSON.stringify(text)}; allowed: hours, days or weeks such as 12h, 180d or 4w, or 0.`,
    );
  return Number(match?.[1] ?? 0) * (unitMs[match?.[2] ?? 'h'] ?? 0);
}
