// Names the owner of a file that this user may not read, and the ways to read it.

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';

/**
 * Completes a message about a file that could not be read: its owner, or the owner of the nearest folder above it that
 * this user may see. Empty unless the user lacks the right to read the file.
 */
export function adviceOnReadFault(path: string, error: unknown): string {
  return error instanceof Error && 'code' in error && error.code === 'EACCES' ? adviceOnHidden(path) : '';
}

function adviceOnHidden(path: string): string {
  try {
    return adviceFor(path, statSync(path).uid);
  } catch {
    return dirname(path) === path ? '' : adviceOnHidden(dirname(path)); // the folder above is closed
  }
}

function adviceFor(path: string, uid: number): string {
  if (uid === process.getuid?.()) return ` Change its mode: chmod u+rX ${quoteForShell(path)}.`;
  const name = userName(uid);
  // root may not work in the data folder of another user
  const asOwner =
    uid === 0 ? 'G' : `Run the command as that user, with "sudo -u ${name ?? `'#${uid}'`}" before it, or g`;
  return ` ${path} belongs to ${name ?? `the user with the id ${uid}`}. ${asOwner}ive this user the right to read it.`;
}

/** undefined: the user has no name on this host. */
export function userName(uid: number): string | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return lines.map((line) => line.split(':')).find(([name, , id]) => name !== '' && id === String(uid))?.[0];
}
