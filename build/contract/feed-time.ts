// The times of the feed of changes (`/metadata/changes.json`). They rise with the order of publications, whatever the
// clock does: a change behind an earlier one counts one second after it. Builds keep the changes that these times depend
// on, so a time stays what followers were told. Pure.

/** A change of documents; both are epoch seconds. */
export interface FeedTime {
  /** by the clock of the host that published it */
  readonly at: number;
  /** in the feed */
  readonly time: number;
}

/** True if the clock went back, or has not passed the time that the feed has since then. */
export function isBehind({ at: before, time }: FeedTime, at: number): boolean {
  return at < time || (at === time && before < time);
}

/** The time of a change at `at` that follows `before`. Changes of one second share it. */
export function feedTimeAfter(before: FeedTime, at: number): FeedTime {
  return { at, time: isBehind(before, at) ? before.time + 1 : at };
}
