// A timer that runs work again and again, never twice at once, and keeps no process alive.

export interface Timer {
  /** The first run begins at once. */
  readonly start: () => void;
  readonly stop: () => void;
  /** Resolves when no work is under way. */
  readonly settled: () => Promise<void>;
}

/** `work` never rejects. `waitMs`: the time between two runs. */
export function createTimer(work: () => Promise<void>, waitMs: () => number): Timer {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let isOn = false;
  const turn = async (): Promise<void> => {
    await work();
    if (isOn) timer = setTimeout(begin, waitMs()).unref();
  };
  const begin = (): void => {
    running = turn();
  };
  return {
    start: () => {
      if (isOn) return;
      isOn = true;
      begin();
    },
    stop: () => {
      isOn = false;
      clearTimeout(timer);
    },
    settled: () => running,
  };
}
