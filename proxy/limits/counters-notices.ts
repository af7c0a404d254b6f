// Writes notices about an outage of the shared counters: at the start, at the end, and at most once a minute in
// between. Counters that fail and recover again and again cause fewer notices.

/** One line for the log. */
export type CountersNotice = { readonly state: 'degraded'; readonly reason: string } | { readonly state: 'recovered' };

export interface CountersNotices {
  /** At the beginning of an outage, and as often as one likes while it lasts. */
  readonly degraded: (reason: unknown) => void;
  readonly recovered: () => void;
}

const periodMs = 60_000;
const mostAPeriod = 5;

/** `monotonicMs`: a clock that nobody sets. */
export function createCountersNotices(
  notice: (notice: CountersNotice) => void,
  monotonicMs: () => number,
): CountersNotices {
  let toldMs: readonly number[] = [];
  /** of this outage */
  let told = false;
  return {
    degraded: (reason) => {
      const nowMs = monotonicMs();
      toldMs = toldMs.filter((ms) => nowMs - ms < periodMs);
      if (toldMs.length >= (told ? 1 : mostAPeriod)) return;
      toldMs = [...toldMs, nowMs];
      told = true;
      notice({ state: 'degraded', reason: reason instanceof Error ? reason.message : String(reason) });
    },
    recovered: () => {
      if (told) notice({ state: 'recovered' });
      told = false;
    },
  };
}
