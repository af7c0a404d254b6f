// Reads when a process started. The start time distinguishes a process from a later process with the same id.

import { readFileSync } from 'node:fs';

/**
 * The start time of a process in the kernel's ticks (fields 3 and 22 of /proc/<pid>/stat, proc(5)). undefined: no such
 * process runs, or its parent has not reaped it yet (states Z and X). The first process of a container may never reap.
 * Without /proc: an empty text for a process that accepts a signal.
 */
export function processStart(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    process.kill(pid, 0);
    return '';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? '' : undefined;
  }
}
