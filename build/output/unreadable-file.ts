// The error for a file of the data folder that is there and cannot be read: a folder in its place, no permission, a
// failing disk. The message has the file and the way back.

import { fileFaultOf } from '../contract/file-fault.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { isMissing } from './storage-error.ts';

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
    const fault = fileFaultOf(error);
    if (fault === undefined) throw error;
    const predicate = `${fault.what}. ${fault.advice}, and run \`libretto verify\`, which names the next step.`;
    throw new UnreadableFile(path, predicate, error);
  }
}
