// Sets a damaged or abandoned state aside. The file gets another name in the same folder, for a later examination.

import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isMissing } from '../../build/output/storage-error.ts';

/** Returns the new path of the file in `directory`; undefined without a file. No process may have the file open. */
export async function setAsideState(directory: string, now: Date): Promise<string | undefined> {
  const aside = join(directory, `data.mdb.replaced-${now.toISOString().replaceAll(/[:.]/g, '-')}`);
  await rm(join(directory, 'lock.mdb'), { force: true });
  return rename(join(directory, 'data.mdb'), aside).then(
    () => aside,
    (error: unknown) => (isMissing(error) ? undefined : Promise.reject(error)),
  );
}
