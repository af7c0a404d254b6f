// Writes notices about an outage of the shared counters: at the start, at the end, and at most once a minute in
// between. Counters that fail and recover again and again cause fewer notices.

/** One line for the log. */
export type CountersNotice = { readonly state: 'degraded'; readonly reason: string } | { readonly state: 'recovered' };

const periodMs = 60_000;
const mostAPeriod = 5;

/** `monotonicMs`: a monotonic clock. */
export function createCountersNotices(notice: (notice: CountersNotice) => void, monotonicMs: () => number) {
  let reportedMs: readonly number[] = [];
  /** true: this outage was reported */
  let isReported = false;
  return {
    /** Called at the beginning of an outage, and any number of times during it. */
    degraded: (reason: unknown): void => {
      const nowMs = monotonicMs();
      reportedMs = reportedMs.filter((ms) => nowMs - ms < periodMs);
      if (reportedMs.length >= (isReported ? 1 : mostAPeriod)) return;
      reportedMs = [...reportedMs, nowMs];
      isReported = true;
      notice({ state: 'degraded', reason: reason instanceof Error ? reason.message : String(reason) });
    },
    recovered: (): void => {
      if (isReported) notice({ state: 'recovered' });
      isReported = false;
    },
  };
}
