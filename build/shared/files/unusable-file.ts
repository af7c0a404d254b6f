// A file of the tree that is there, and cannot be used: its content is damaged, or the system refuses to read the file.

/** Readers get TREE_DAMAGED for the file. `message` names the file for the log. */
export class UnusableFile extends Error {
  readonly code = 'TREE_DAMAGED';
}

/** What the system says of one file. Other codes concern the whole process, such as too many open files. */
const codes: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EIO', 'EISDIR', 'ELOOP']);

/** Whether the system refuses one file, and not every file. */
export function isFileFault(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && codes.has(error.code);
}

/** The reason why a read failed: an UnusableFile where the file is at fault, and `error` in all other cases. */
export function readFault(path: string, error: unknown): unknown {
  if (!isFileFault(error)) return error;
  return new UnusableFile(`${path} cannot be read (${error.message}); run \`libretto verify\``, { cause: error });
}
