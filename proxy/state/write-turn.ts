// LMDB's own write lock is waited for without limit, inside code that nothing can interrupt: a process that was stopped while it held it (SIGSTOP, a
// debugger, a frozen container) would hang every other writer, and their end too. So whoever writes takes a turn first, by a file beside the
// database, and gives up after a while. This is for waiting only: it is LMDB's lock that keeps writers apart, so a turn that is taken away from a
// process that still lives (one of another container, whose id means nothing here) costs the time limit and nothing else.

import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StateError } from './state-error.ts';

const defaultWaitMs = 5000;
/** A file that names no process, of one that died before it had written, is nobody's after this. */
const namelessMs = 1000;

export interface WriteTurn {
  /** Resolves with what ends the turn. Rejects with StateError STATE_BUSY when it is not had in time, and with Node's error where no file can be made. */
  readonly take: () => Promise<() => void>;
}

export function createWriteTurn(path: string, waitMs = defaultWaitMs): WriteTurn {
  return {
    take: async () => {
      const deadline = performance.now() + waitMs;
      for (;;) {
        if (tryTake(path)) return () => removeFile(path);
        const owner = readOwner(path);
        if (owner === undefined) continue;
        if (owner.dead) removeFile(path);
        else if (performance.now() < deadline) await delay(1 + Math.random() * 9);
        else throw new StateError('STATE_BUSY', `The state cannot be written: the process with id ${owner.pid} holds it, and has not let go of it for ${waitMs / 1000} seconds. It may be stopped (\`kill -CONT ${owner.pid}\` lets it go on) or hang. Nothing was changed.`);
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
    writeSync(descriptor, `${process.pid} ${startTicks(process.pid) ?? ''}`);
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
    return { pid: Number(pid), dead: startTicks(Number(pid)) !== ticks };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * When the process started, in the kernel's ticks (field 22 of /proc/<pid>/stat), which tells it from a later one with its id; undefined where there is
 * none. Without /proc, empty for a process that answers a signal.
 */
function startTicks(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    process.kill(pid, 0);
    return '';
  } catch (error) {
    return codeOf(error) === 'EPERM' ? '' : undefined;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
