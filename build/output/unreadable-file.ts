// The error for a file of the data folder that is there and cannot be read: a folder in its place, no permission, a
// failing disk. The message has the file and the way back.

import { PackageDamaged } from '../contract/refusals.ts';
import { errorCode, isMissing } from './storage-error.ts';

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  EISDIR: ['is a folder, and Libretto keeps a file there', 'Move the folder away'],
  ENOTDIR: ['cannot be read, since a part of its path is a file', 'Move that file away'],
  ELOOP: ['is a symbolic link that leads nowhere', 'Remove the link'],
  EACCES: ['may not be read', 'Give the user that runs Libretto access to the file'],
  EPERM: ['may not be read', 'Give the user that runs Libretto access to the file'],
  EIO: ['cannot be read: the disk reported an error', 'Check the disk, and restore the file from a backup'],
};

export class UnreadableFile extends PackageDamaged {
  /** what is wrong and what to do; the subject of the first sentence is the file */
  readonly predicate: string;

  constructor(path: string, predicate: string, cause: unknown) {
    super(`${path} ${predicate}`, { cause });
    this.name = 'UnreadableFile';
    this.predicate = predicate;
  }
}

/**
 * The result of reading `path` (below the data folder), or undefined where there is no such file. Throws UnreadableFile
 * where the file cannot be read, and any other error as it is.
 */
export async function readable<Result>(path: string, reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isMissing(error)) return undefined;
    const [what, advice] = reasons[errorCode(error) ?? ''] ?? [];
    if (what === undefined) throw error;
    throw new UnreadableFile(
      path,
      `${what}. ${advice}, and run \`libretto verify\`, which names the next step.`,
      error,
    );
  }
}
