// Detects a late server, which has sent no reply for a moment, and a silent server, whose oldest waiting request has
// exceeded its limit. One timer serves all requests. At the timer's end, replies that have already arrived are read
// first. After a pause of this process (garbage collection, a busy machine) timers run before the socket is read, and a
// healthy server would seem silent.

export interface ReplyTimeoutOptions {
  /**
   * While a request waits, the server is late after this time without any reply, at the latest after twice this time,
   * until its next reply.
   */
  readonly lateMs: number;
  /** The server counts as silent once a request has waited for this time. */
  readonly silentMs: number;
  readonly onLate: () => void;
  /** Should `drain`. */
  readonly onTimeout: () => void;
  /** a monotonic clock */
  readonly monotonicMs: () => number;
}

export interface ReplyTimeout<Waiting> {
  /** The oldest comes first. */
  readonly add: (waiting: Waiting) => void;
  /** The server has replied. false: the request no longer waits. */
  readonly replied: (waiting: Waiting | undefined) => boolean;
  readonly isLate: () => boolean;
  /**
   * Releases the requests that `may` continue without a reply, except the oldest: its wait shows that the server is
   * silent.
   */
  readonly release: (may: (waiting: Waiting) => boolean) => readonly Waiting[];
  /** Ends the waiting of all of them. */
  readonly drain: () => readonly Waiting[];
}

export function createReplyTimeout<Waiting>(options: ReplyTimeoutOptions): ReplyTimeout<Waiting> {
  const { lateMs, monotonicMs } = options;
  const watch: Watch<Waiting> = { since: new Map(), timer: undefined, late: false, replies: false };
  return {
    add: (waiting) => {
      watch.since.set(waiting, monotonicMs());
      if (watch.timer !== undefined) return;
      watch.replies = false;
      checkAfter(lateMs, watch, options);
    },
    replied: (waiting) => {
      watch.late = false;
      watch.replies = true;
      return waiting !== undefined && watch.since.delete(waiting);
    },
    isLate: () => watch.late,
    release: (may) => {
      const [, ...others] = watch.since.keys();
      const released = others.filter(may);
      for (const waiting of released) watch.since.delete(waiting);
      return released;
    },
    drain: () => {
      watch.late = false;
      const all = [...watch.since.keys()];
      watch.since.clear();
      return all;
    },
  };
}

interface Watch<Waiting> {
  /** since when each waits, the oldest first */
  readonly since: Map<Waiting, number>;
  timer: NodeJS.Timeout | undefined;
  late: boolean;
  /** true: a reply has arrived since the last check */
  replies: boolean;
}

function checkAfter(afterMs: number, watch: Watch<unknown>, options: ReplyTimeoutOptions): void {
  watch.timer = setTimeout(() => setImmediate(check, watch, options), Math.max(1, afterMs)).unref();
}

function check(watch: Watch<unknown>, options: ReplyTimeoutOptions): void {
  const { lateMs, silentMs, onLate, onTimeout, monotonicMs } = options;
  watch.timer = undefined;
  const age = oldestAge(watch, monotonicMs());
  if (age >= silentMs) onTimeout();
  else if (age >= lateMs && !watch.late && !watch.replies) {
    watch.late = true;
    onLate();
  }
  watch.replies = false;
  if (watch.since.size > 0 && watch.timer === undefined)
    checkAfter(Math.min(lateMs, silentMs - oldestAge(watch, monotonicMs())), watch, options);
}

function oldestAge({ since }: Watch<unknown>, nowMs: number): number {
  const [oldest] = since.values();
  return oldest === undefined ? 0 : nowMs - oldest;
}
