// When a feed is asked again: after the interval, soon after an unfinished run, and ever later while it fails. A feed
// without a complete copy is asked sooner. The times vary by a tenth, so that many registries do not ask a feed at the
// same moment.

export interface ScheduleOptions {
  readonly everyMs: number;
  /** a number from 0 up to 1 */
  readonly random: () => number;
}

export interface Attempt {
  /** epoch milliseconds */
  readonly triedAtMs: number;
  /** the number of failures since the last success */
  readonly failures: number;
  readonly unfinished: boolean;
  /** false: there is no complete copy, so that the feed may block less than it should */
  readonly hasCopy: boolean;
}

const soonMs = 60_000;
/** While there is no complete copy. */
const withoutCopy = { firstMs: 15_000, longestMs: 600_000 };

/** Epoch milliseconds of the next run. */
export function nextRunAt(attempt: Attempt, { everyMs, random }: ScheduleOptions): number {
  const { triedAtMs, failures, unfinished, hasCopy } = attempt;
  const { firstMs, longestMs } = hasCopy ? { firstMs: soonMs, longestMs: everyMs } : withoutCopy;
  const waitMs =
    failures > 0
      ? Math.min(everyMs, longestMs, firstMs * 2 ** Math.min(failures - 1, 20))
      : Math.min(everyMs, unfinished ? soonMs : everyMs);
  return triedAtMs + waitMs * (0.9 + 0.2 * random());
}
