// Parses the value of a flag that names a moment: a day, or an instant.

import { UsageError } from './usage-error.ts';

/** Epoch milliseconds; undefined: not given. Throws UsageError. `name`: of the flag, without dashes. */
export function instantFlag(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(given)
    ? Date.parse(given)
    : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new UsageError(
    `--${name} is ${JSON.stringify(given)}; allowed: a day such as 2027-01-31, or an instant such as ` +
      '2027-01-31T12:00:00Z.',
  );
}
