// Notices that a server has gone silent: a request has waited longer than `timeoutMs` for it. One timer for all requests. When it goes off,
// the replies that have already arrived are read first: after a pause of our own (garbage collection, a busy machine) timers run before the
// socket is read, and a healthy server would look silent.

export interface SilenceWatch<Waiting> {
  /** The oldest comes first. */
  readonly add: (waiting: Waiting) => void;
  /** false: it was not waiting any more */
  readonly remove: (waiting: Waiting) => boolean;
  /** Ends the waiting of all of them. */
  readonly drain: () => readonly Waiting[];
}

/** `onSilence` should `drain`. `monotonicMs`: a clock that nobody sets. */
export function createSilenceWatch<Waiting>(timeoutMs: number, onSilence: () => void, monotonicMs: () => number): SilenceWatch<Waiting> {
  const since = new Map<Waiting, number>();
  let timer: NodeJS.Timeout | undefined;

  const oldestAge = (): number => {
    const [oldest] = since.values();
    return oldest === undefined ? 0 : monotonicMs() - oldest;
  };
  const watch = (afterMs: number): void => {
    timer = setTimeout(() => setImmediate(check), afterMs).unref();
  };
  const check = (): void => {
    timer = undefined;
    if (oldestAge() >= timeoutMs) onSilence();
    if (since.size > 0 && timer === undefined) watch(Math.max(1, timeoutMs - oldestAge()));
  };
  return {
    add: (waiting) => {
      since.set(waiting, monotonicMs());
      if (timer === undefined) watch(timeoutMs);
    },
    remove: (waiting) => since.delete(waiting),
    drain: () => {
      const all = [...since.keys()];
      since.clear();
      return all;
    },
  };
}
