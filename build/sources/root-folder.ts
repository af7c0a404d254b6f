// The folder a source was given, without symlinks, or why there is none.

import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeFault } from '../files/file-fault.ts';

/** `advice` is shown to a person who named something other than a folder. */
export function resolveFolder(folder: string, advice: string): { readonly path: string } | { readonly reason: string } {
  try {
    const path = realpathSync(folder);
    return statSync(path).isDirectory() ? { path } : { reason: `${folder} is not a folder. ${advice}` };
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return {
      reason: missing
        ? `${folder} does not exist.${homeAdvice(folder)}`
        : `${folder} cannot be read: ${describeFault(error)}.`,
    };
  }
}

/** Only a shell replaces `~`, and only at the beginning of a word without quotes. */
export function homeAdvice(path: string): string {
  return /(?:^|\/)~(?:\/|$)/.test(path) ? ' Write the path of the home folder in place of ~.' : '';
}

/** Resolves the symlinks in the existing part of a path. The path itself may not exist yet. */
export function withoutSymlinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (dirname(path) === path) throw error;
    return join(withoutSymlinks(dirname(path)), basename(path));
  }
}
