// Recognizes the errors of a full or read-only disk among all failures. Such an error is the server's fault, in every
// operation. Pure.

/** `full`: no space, no quota, no room in the state's file or in its Redis. `read-only`: mounted so. */
export type StorageFault = 'full' | 'read-only';

const codes: Readonly<Record<string, StorageFault>> = { ENOSPC: 'full', EDQUOT: 'full', EROFS: 'read-only' };

/**
 * For errors without a code of Node: LMDB gives a text of the system or its own; Redis gives a reply, which a script
 * wraps in older versions.
 */
const words: readonly (readonly [RegExp, StorageFault])[] = [
  [/\bOOM command not allowed|^MISCONF /, 'full'],
  [/MDB_MAP_FULL|No space left on device|Disk quota exceeded/i, 'full'],
  [/Read-only file system/i, 'read-only'],
];

/**
 * Examines the chain of causes too, so that wrapped errors are found. undefined: the failure has another cause than the
 * disk.
 */
export function storageFaultOf(error: unknown, depth = 8): StorageFault | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined;
  const code =
    'code' in error && typeof error.code === 'string' && Object.hasOwn(codes, error.code)
      ? codes[error.code]
      : undefined;
  return code ?? words.find(([pattern]) => pattern.test(error.message))?.[1] ?? storageFaultOf(error.cause, depth - 1);
}

export const fullDisk = 'The disk is full: reading still works, changes do not.';

/** The advice about a failed write, in a sentence for the operator. */
export function storageAdvice(error: unknown): string {
  const fault = storageFaultOf(error);
  if (fault === undefined) return 'Check the health of the disk.';
  return fault === 'full'
    ? `${fullDisk} Free some space and try again.`
    : 'The disk is read-only: reading still works, changes do not. Mount it for writing and try again.';
}

/**
 * Exit codes of the command line (sysexits.h: EX_IOERR, EX_CANTCREAT), by which the server that started a command
 * knows.
 */
export const storageExitCodes = { full: 74, 'read-only': 73 } as const satisfies Record<StorageFault, number>;

export const storageErrorCodes = { full: 'STORAGE_FULL', 'read-only': 'STORAGE_READ_ONLY' } as const satisfies Record<
  StorageFault,
  string
>;

/** The inverse of storageExitCodes; undefined for every other exit code. */
export function storageFaultOfExit(exitCode: number): StorageFault | undefined {
  if (exitCode === storageExitCodes.full) return 'full';
  return exitCode === storageExitCodes['read-only'] ? 'read-only' : undefined;
}
