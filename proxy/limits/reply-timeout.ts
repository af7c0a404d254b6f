// Notices that a server is late: it has said nothing at all for a moment; and that it has gone silent: the request that
// has waited longest has waited too long for it. One timer for all requests. When it goes off, the replies that have
// already arrived are read first: after a pause of our own (garbage collection, a busy machine) timers run before the
// socket is read, and a healthy server would look silent.

export interface ReplyTimeoutOptions {
  /**
   * Somebody waits, and so long, twice that at most, there was no reply to anybody: the server is late until its next
   * one.
   */
  readonly lateMs: number;
  /** A request has waited so long: the server is silent. */
  readonly silentMs: number;
  readonly onLate: () => void;
  /** Should `drain`. */
  readonly onSilence: () => void;
  /** a clock that nobody sets */
  readonly monotonicMs: () => number;
}

export interface ReplyTimeout<Waiting> {
  /** The oldest comes first. */
  readonly add: (waiting: Waiting) => void;
  /** The server has replied. false: nobody was waiting for it any more. */
  readonly replied: (waiting: Waiting | undefined) => boolean;
  readonly isLate: () => boolean;
  /**
   * Ends the waiting of those that `may` go on without a reply, except the one that has waited longest: by it the
   * server is known to be silent.
   */
  readonly release: (may: (waiting: Waiting) => boolean) => readonly Waiting[];
  /** Ends the waiting of all of them. */
  readonly drain: () => readonly Waiting[];
}

export function createReplyTimeout<Waiting>({
  lateMs,
  silentMs,
  onLate,
  onSilence,
  monotonicMs,
}: ReplyTimeoutOptions): ReplyTimeout<Waiting> {
  const since = new Map<Waiting, number>();
  let timer: NodeJS.Timeout | undefined;
  let late = false;
  let replies = false;

  const oldestAge = (): number => {
    const [oldest] = since.values();
    return oldest === undefined ? 0 : monotonicMs() - oldest;
  };
  const watch = (afterMs: number): void => {
    timer = setTimeout(() => setImmediate(check), Math.max(1, afterMs)).unref();
  };
  const check = (): void => {
    timer = undefined;
    const age = oldestAge();
    if (age >= silentMs) onSilence();
    else if (age >= lateMs && !late && !replies) {
      late = true;
      onLate();
    }
    replies = false;
    if (since.size > 0 && timer === undefined) watch(Math.min(lateMs, silentMs - oldestAge()));
  };
  return {
    add: (waiting) => {
      since.set(waiting, monotonicMs());
      if (timer !== undefined) return;
      replies = false;
      watch(lateMs);
    },
    replied: (waiting) => {
      late = false;
      replies = true;
      return waiting !== undefined && since.delete(waiting);
    },
    isLate: () => late,
    release: (may) => {
      const [, ...others] = since.keys();
      const released = others.filter(may);
      for (const waiting of released) since.delete(waiting);
      return released;
    },
    drain: () => {
      late = false;
      const all = [...since.keys()];
      since.clear();
      return all;
    },
  };
}
