// Removes old records of publications beyond the configured number. The removal runs only under the build lock, after a
// publication.

import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, withPath } from '../output/storage-error.ts';
import { historyFolder, publicationRecordPath } from './record.ts';

/**
 * `previous` and `serial`: the last two publications. Serials in between belong to interrupted publications, and the
 * last one's record includes their changes.
 */
export async function pruneHistory(
  dataDirectory: string,
  keep: number,
  { previous, serial }: { readonly previous: number; readonly serial: number },
): Promise<void> {
  const folder = join(dataDirectory, 'build', historyFolder);
  const names = await readdir(folder).catch((error: unknown) => (isMissing(error) ? [] : Promise.reject(error)));
  const serials = names
    .flatMap((name) => (/^[1-9]\d{0,15}$/.test(name) ? [Number(name)] : []))
    .toSorted((one, other) => other - one);
  const interrupted = serials.filter((one) => one > previous && one < serial);
  // a folder without a record is the remains of an interrupted removal, or a foreign folder: it counts for no limit
  const recorded = serials.filter((one) => existsSync(join(dataDirectory, 'build', publicationRecordPath(one))));
  const unrecorded = serials.filter((one) => one < serial && !recorded.includes(one));
  const old = recorded.filter((one) => !interrupted.includes(one)).slice(keep);
  for (const one of new Set([...interrupted, ...unrecorded, ...old])) {
    // removes the record first: without it, the remaining files of an interrupted removal are ignored
    await withPath(folder, rm(join(dataDirectory, 'build', publicationRecordPath(one)), { force: true }));
    await withPath(folder, rm(join(folder, String(one)), { recursive: true, force: true }));
  }
}
