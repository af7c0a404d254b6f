// A file lock before LMDB's own write lock. LMDB waits for its lock without limit, in code that cannot be interrupted.
// A process that was stopped while it held that lock (SIGSTOP, a debugger, a frozen container) would hang every other
// writer, even at its end. A writer therefore first takes a turn by a file next to the database, with a time limit.
// LMDB's lock still keeps writers apart. Taking the turn from a living process, for instance of another container,
// costs only the time limit.

import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { processStart } from '../../build/shared/process/process-start.ts';
import { StateError } from '../core/state/state-error.ts';

const defaultWaitMs = 5000;
/** After this time a file without a process id is free: its process died before it wrote the id. */
const namelessMs = 1000;

export interface WriteLock {
  /**
   * Resolves with a function that ends the turn. Rejects with StateError STATE_BUSY if the turn is not free in time,
   * and with Node's error if no file can be made.
   */
  readonly take: () => Promise<() => void>;
}

export function createWriteLock(path: string, waitMs = defaultWaitMs): WriteLock {
  return {
    take: async () => {
      const deadline = performance.now() + waitMs;
      for (;;) {
        if (tryTake(path)) return () => removeFile(path);
        const owner = readOwner(path);
        if (owner === undefined) continue;
        if (owner.dead) removeFile(path);
        else if (performance.now() < deadline) await delay(1 + Math.random() * 9);
        else
          throw new StateError(
            'STATE_BUSY',
            `The state cannot be written: the process with id ${owner.pid} holds it, and has not released it ` +
              `for ${waitMs / 1000} seconds. It may be stopped (\`kill -CONT ${owner.pid}\` resumes it) or hang. ` +
              'Nothing was changed.',
          );
      }
    },
  };
}

function tryTake(path: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(descriptor, `${process.pid} ${processStart(process.pid) ?? ''}`);
    return true;
  } catch (error) {
    removeFile(path);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** undefined: the turn has just ended. */
function readOwner(path: string): { readonly pid: number; readonly dead: boolean } | undefined {
  try {
    const [pid = '', ticks = ''] = readFileSync(path, 'utf8').split(' ');
    if (pid === '') return { pid: 0, dead: Date.now() - statSync(path).mtimeMs > namelessMs };
    return { pid: Number(pid), dead: processStart(Number(pid)) !== ticks };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Node's code of an error: `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
