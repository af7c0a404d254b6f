// Explains why a folder cannot be made. On a read-only disk Node's recursive mkdir reports ENOENT, as if a parent were
// missing. The real reason is found at the nearest folder that exists.

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** `error`: the error of making the folder `path`. Returns the error to throw in its place. */
export function folderFault(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) return error;
  let there = path;
  while (!existsSync(there)) there = dirname(there);
  try {
    accessSync(there, constants.W_OK);
    return error;
  } catch (reason) {
    return reason;
  }
}
