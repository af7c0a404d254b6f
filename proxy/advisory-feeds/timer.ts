// A timer that runs work again and again, never twice at once, and keeps no process alive.

/** `work` never rejects. `waitMs`: the time between two runs. */
export function createTimer(work: () => Promise<void>, waitMs: () => number) {
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
    /** The first run begins at once. */
    start: (): void => {
      if (isOn) return;
      isOn = true;
      begin();
    },
    stop: (): void => {
      isOn = false;
      clearTimeout(timer);
    },
    /** Resolves when no work is under way. */
    settled: () => running,
  };
}
