// Runs git with a memory limit for operations in which a remote server decides how much data git receives. An endless
// list of refs would otherwise fill the memory of the machine in less than a minute, long before any time limit. The
// kernel enforces the limit: a shell sets it and then becomes git.

import { safeOptions } from './git-environment.ts';

/** Writable memory of a git process, and of each one it starts. Linux heeds it; elsewhere the time limit has to do. */
export const listingBytes = 1024 ** 3;
export const fetchingBytes = 2 * 1024 ** 3;
/** a file of the largest size, and its converted form */
export const archivingBytes = 4 * 1024 ** 3;

/** The command to spawn for `git …`. If git is not installed, the command ends with code 127. */
export function limitedGit(
  memoryBytes: number,
  operands: readonly string[],
): readonly [command: string, operands: string[]] {
  const script = 'ulimit -d "$1" 2>/dev/null; shift; exec git "$@"';
  return ['/bin/sh', ['-c', script, 'sh', String(Math.floor(memoryBytes / 1024)), ...safeOptions, ...operands]];
}

export const notFoundCode = 127;
