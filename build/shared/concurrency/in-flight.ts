// Counts the requests in progress, so that closing can wait for them.

export interface InFlight {
  /** Counts `done` until it settles; `failed` receives the reason of a rejection. */
  readonly add: (done: Promise<unknown>, failed: (reason: unknown) => void) => void;
  /** Resolves once all that were added have ended. */
  readonly settled: () => Promise<void>;
}

export function createInFlight(): InFlight {
  let count = 0;
  let waiting: (() => void)[] = [];
  const ended = (): void => {
    count -= 1;
    if (count > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    add: (done, failed) => {
      count += 1;
      done.then(ended, (reason: unknown) => {
        try {
          failed(reason);
        } finally {
          ended();
        }
      });
    },
    settled: () =>
      new Promise((resolve) => {
        if (count === 0) resolve();
        else waiting.push(resolve);
      }),
  };
}
