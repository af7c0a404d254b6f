// Removes old records of publications beyond the configured number. It runs only under the build lock, after a
// publication.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, withPath } from '../output/storage-error.ts';
import { historyFolder, recordPath } from './record.ts';

/**
 * `previous` and `serial`: the publication before the last one, and the last one. What stands between was cut off, and
 * is part of the last one's record.
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
  const cutOff = serials.filter((one) => one > previous && one < serial);
  const old = serials.filter((one) => !cutOff.includes(one)).slice(keep);
  for (const one of [...cutOff, ...old]) {
    // the record first: without it, what is left of a removal that is cut off means nothing
    await withPath(folder, rm(join(dataDirectory, 'build', recordPath(one)), { force: true }));
    await withPath(folder, rm(join(folder, String(one)), { recursive: true, force: true }));
  }
}
