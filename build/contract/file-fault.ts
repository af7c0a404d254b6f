// Recognizes the errors of one existing file that cannot be read, and finds the remedy. Pure.

/** Two parts of a message: the predicate of a sentence about the file, and the first step of the operator. */
export interface FileFault {
  readonly what: string;
  readonly advice: string;
}

export const accessAdvice = 'Give the user that runs Libretto access to the file';
const access = { what: 'may not be read', advice: accessAdvice };

/** Other codes concern the whole process, such as too many open files. */
const faults: Readonly<Record<string, FileFault>> = {
  EISDIR: { what: 'is a folder, but Libretto needs a file there', advice: 'Move the folder away' },
  ENOTDIR: { what: 'cannot be read, since a part of its path is a file', advice: 'Move that file away' },
  ELOOP: { what: 'is a broken symbolic link', advice: 'Remove the link' },
  EACCES: access,
  EPERM: access,
  EIO: {
    what: 'cannot be read: the disk reported an error',
    advice: 'Check the disk, and restore the file from a backup',
  },
};

/** undefined: the error does not concern one file, or the file is missing. */
export function fileFaultOf(error: unknown): FileFault | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? faults[error.code] : undefined;
}
