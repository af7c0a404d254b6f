// Runs the functions of a worker module in a thread of its own, one call at a time, each within a time limit and a limit
// of memory. The main thread answers other requests during that time. A call that takes too long ends the thread.

import { pathToFileURL } from 'node:url';
import pLimit from 'p-limit';
import type { Piscina } from 'piscina';

/**
 * Rejects with ThreadBusy, with the error of the function, and if it takes longer than `longestMs`. The start of the
 * thread is not part of that: a busy machine needs seconds for it.
 */
export type RunInThread = <Result>(name: string, task: unknown, longestMs: number) => Promise<Result>;

/** So many calls wait that this one was not made. Another try may succeed. */
export class ThreadBusy extends Error {}

/** Calls that may wait for their turn. */
const mostWaiting = 32;
const idleMs = 30_000;
const longestStartMs = 60_000;

/**
 * The thread begins with the first call, and ends when there was none for a while. `worker`: the module as Node itself
 * can load it, with a function `ready` that does nothing. `onFailure` receives errors that belong to no call.
 * `heapMegabytes`: its memory.
 */
export function createWorkerThread(
  worker: URL | string,
  onFailure: (error: unknown) => void,
  heapMegabytes = 128,
): RunInThread {
  const turn = pLimit(1);
  let pool: Promise<Piscina> | undefined;
  const open = async (): Promise<Piscina> => {
    const { Piscina: Pool } = await import('piscina');
    const opened = new Pool({
      filename: worker instanceof URL ? worker.href : pathToFileURL(worker).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    return opened.on('error', onFailure);
  };
  return async <Result>(name: string, task: unknown, longestMs: number): Promise<Result> => {
    if (turn.pendingCount >= mostWaiting) throw new ThreadBusy(`${name} waits for too many others`);
    return turn(async () => {
      const running = await (pool ??= open());
      await running.run(undefined, { name: 'ready', signal: AbortSignal.timeout(longestStartMs) });
      return running.run(task, { name, signal: AbortSignal.timeout(longestMs) }) as Promise<Result>;
    });
  };
}
