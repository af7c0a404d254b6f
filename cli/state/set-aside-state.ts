// Sets a state aside that is damaged, or is given up: the file keeps lying beside its place, for whoever looks into it
// later.

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
