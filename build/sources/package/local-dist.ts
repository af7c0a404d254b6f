// A dist that is a file relative to libretto.json: opened only if its stamp differs from the last scan.

import { lstatSync, type BigIntStats } from 'node:fs';
import { admitZip } from '../../archive/zip-admission/admit-zip.ts';
import { sha1Of } from '../../archive/zip-admission/open-file.ts';
import { describeFault } from '../../files/file-fault.ts';
import { isSettled, stampOf, touchedAt } from '../../files/file-stamp.ts';
import { changedWhileRead } from '../../files/read-file.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { checkShasum } from './dist-cache.ts';
import type { InlineDist } from './inline-record.ts';

export interface DistFile {
  /** '' if the file must be read again, even if its stamp is unchanged */
  readonly stamp: string;
  /** SHA-256 of the admitted ZIP, lower-case hex */
  readonly sha256: string;
}

/** `path` is absolute, `scanStart` epoch milliseconds. Throws QuarantineError. */
export async function examineFile(
  path: string,
  dist: InlineDist,
  scanStart: number,
  known: DistFile | undefined,
): Promise<DistFile> {
  const stats = statsOf(path);
  const stamp = stampOf(stats);
  if (known !== undefined && known.stamp !== '' && known.stamp === stamp) return known;
  if (dist.shasum !== undefined) checkShasum(await sha1Of(path), dist);
  const zip = await admitZip(path);
  if (zip.stamp !== stamp) throw changedWhileRead(path);
  return { stamp: isSettled(touchedAt(stats), scanStart) ? stamp : '', sha256: zip.sha256 };
}

function statsOf(path: string): BigIntStats {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    throw new QuarantineError('UNREACHABLE_DIST', `Its dist ${path} cannot be read: ${describeFault(error)}.`, {
      cause: error,
    });
  }
}
