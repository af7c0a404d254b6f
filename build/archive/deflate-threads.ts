// The worker threads of one step of a build. They start with the first work; with a single processor there are none.

import type { DeflatePool } from './deflate-pool.ts';

export interface DeflateThreads {
  /** 0: all is done in the calling thread */
  readonly count: number;
  /** Starts the threads at the first call. Call it only if `count` is above 0. */
  readonly pool: () => Promise<DeflatePool>;
  /** undefined: they were not started */
  readonly started: () => Promise<DeflatePool> | undefined;
  /** Ends the workers, even in the middle of a task. */
  readonly close: () => Promise<void>;
}

/** Node loads a worker from the compiled module in the same folder. Sources that a test runner transforms have none. */
const compiled = import.meta.url.endsWith('.js');

/** `wanted` threads in addition to the calling one. The results are the same for any number. */
export function createDeflateThreads(wanted: number): DeflateThreads {
  const count = compiled ? wanted : 0;
  let started: Promise<DeflatePool> | undefined;
  return {
    count,
    pool: () => (started ??= startPool(count)),
    started: () => started,
    close: async () => (await started)?.close(),
  };
}

async function startPool(threads: number): Promise<DeflatePool> {
  const { createDeflatePool } = await import('./deflate-pool.ts');
  return createDeflatePool(new URL('./deflate-worker.js', import.meta.url), threads);
}
