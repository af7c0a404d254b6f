// Sets a damaged or abandoned state aside. The file gets another name in the same folder, for a later examination.

import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isMissing } from '../../build/output/storage-error.ts';

/** The path that the file in `directory` has now; undefined where there was none. Nobody may have it open. */
export async function setAsideState(directory: string, now: Date): Promise<string | undefined> {
  const aside = join(directory, `data.mdb.replaced-${now.toISOString().replaceAll(/[:.]/g, '-')}`);
  await rm(join(directory, 'lock.mdb'), { force: true });
  return rename(join(directory, 'data.mdb'), aside).then(
    () => aside,
    (error: unknown) => (isMissing(error) ? undefined : Promise.reject(error)),
  );
}
