// The error of a failing disk: its message, the path, and advice. The message ends with a full stop.

import { dirname } from 'node:path';
import { storageAdvice, storageFaultOf } from '../contract/storage-fault.ts';

/** A failed write: the build stops, and the published tree stays unchanged. */
export class StorageError extends Error {
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(describeFailure(path, cause), { cause });
    this.name = 'StorageError';
    this.path = path;
  }
}

const accessAdvice = (path: string): string => `Give the user that runs Libretto write access to ${dirname(path)}`;

const reasons: Readonly<Record<string, string | ((path: string) => string)>> = {
  EACCES: (path) => `no permission. ${accessAdvice(path)}`,
  EPERM: (path) => `not permitted. ${accessAdvice(path)}`,
  EIO: 'the disk reported an input/output error',
  EMFILE: 'too many open files. Raise the limit (ulimit -n)',
  ENFILE: 'too many open files on this machine',
  EXDEV: 'public/, index/ and build/ must be on one file system',
  ENOTDIR: 'a part of this path is a file, not a folder. Move the file away and try again',
  EISDIR: 'there is a folder where a file should be. Move the folder away and try again',
  ENAMETOOLONG: 'the file name is too long for this file system',
};

/** All commands describe a full or read-only disk by one sentence. A wrapped failure has its own message. */
function describeFailure(path: string, cause: unknown): string {
  const isWrapped = errorCode(cause) === undefined;
  if (isWrapped || storageFaultOf(cause) === undefined) return `${path}: ${reasonOf(path, cause)}`;
  return `${path} cannot be written. ${storageAdvice(cause)}`;
}

function reasonOf(path: string, cause: unknown): string {
  const code = errorCode(cause);
  const known = code === undefined ? undefined : reasons[code];
  const reason =
    (typeof known === 'function' ? known(path) : known) ?? (cause instanceof Error ? cause.message : String(cause));
  return reason.endsWith('.') ? reason : `${reason}.`;
}

/** Awaits an operation, and adds the path to its error. */
export async function withPath<Result>(path: string, operation: Promise<Result>): Promise<Result> {
  try {
    return await operation;
  } catch (error) {
    throw error instanceof StorageError ? error : new StorageError(path, error);
  }
}

/** The same for an operation without a promise. */
export function withPathSync<Result>(path: string, operation: () => Result): Result {
  try {
    return operation();
  } catch (error) {
    throw error instanceof StorageError ? error : new StorageError(path, error);
  }
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
