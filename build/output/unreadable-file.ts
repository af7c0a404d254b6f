// The error for a file of the data folder that exists and cannot be read: a folder has its name, a permission is
// missing, or the disk fails. The message has the file and the remedy.

import { fileFaultOf } from '../contract/file-fault.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { isMissing } from './storage-error.ts';

export class UnreadableFile extends PackageDamaged {
  /** the fault and its remedy; the subject of the first sentence is the file */
  readonly predicate: string;

  constructor(path: string, predicate: string, cause: unknown) {
    super(`${path} ${predicate}`, { cause });
    this.name = 'UnreadableFile';
    this.predicate = predicate;
  }
}

/**
 * The result of reading `path` (below the data folder); undefined if there is no such file. Throws UnreadableFile if
 * the file cannot be read, and passes on any other error.
 */
export async function readOrFail<Result>(path: string, reading: Promise<Result>): Promise<Result | undefined> {
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
