// A file of the tree that is there, and cannot be used: its content is damaged, or the system refuses to read the file.

import { fileFaultOf } from '../../contract/file-fault.ts';

/** Readers get TREE_DAMAGED for the file. `message` names the file for the log. */
export class UnusableFile extends Error {
  readonly code = 'TREE_DAMAGED';
}

/** True if the system refuses this one file, and not every file. */
export function isFileFault(error: unknown): boolean {
  return fileFaultOf(error) !== undefined;
}

/** The reason why a read failed: an UnusableFile where the file is at fault, and `error` in all other cases. */
export function readFault(path: string, error: unknown): unknown {
  const fault = fileFaultOf(error);
  if (fault === undefined) return error;
  return new UnusableFile(`${path} ${fault.what}. ${fault.advice}, and run \`libretto verify\``, { cause: error });
}
