// A ZIP on this disk that is published byte for byte after its admission. The copy has the admitted bytes, or no copy
// is made.

import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { parseSha1, type Reference, type Sha1 } from '../../contract/digest.ts';
import { readThrough, withOpenFile } from './open-file.ts';
import { withPathSync } from '../../output/storage-error.ts';
import { changedWhileRead } from '../../files/read-file.ts';
import { readTexts } from './zip-texts.ts';
import type { ReadyArchive } from '../content.ts';

/** The reference of an archive with this lower-case hex SHA-256: as long as a commit's. */
export function archiveReference(sha256: string): Reference {
  return sha256.slice(0, 40) as Reference;
}

/**
 * `path` is absolute; `sha256` is of the admitted bytes, lower-case hex. Never fsyncs, like the archiver: the
 * publication does that.
 */
export function readyArchive(path: string, sha256: string): ReadyArchive {
  return { copyTo: (target) => copyArchive(path, sha256, target), texts: () => readTexts(path) };
}

async function copyArchive(
  path: string,
  sha256: string,
  target: string,
): Promise<{ readonly shasum: Sha1; readonly size: number }> {
  return withOpenFile(path, async (source, { size }) => {
    // an error of the target's disk is no fault of the archive
    const copy = withPathSync(target, () => openSync(target, 'wx', 0o644));
    let whole = false;
    try {
      const hashes = [createHash('sha1'), createHash('sha256')] as const;
      await readThrough(source, size, (piece) => {
        for (const hash of hashes) hash.update(piece);
        for (let written = 0; written < piece.length;)
          written += withPathSync(target, () => writeSync(copy, piece, written));
      });
      const shasum = parseSha1(hashes[0].digest('hex'));
      if (hashes[1].digest('hex') !== sha256 || shasum === undefined) throw changedWhileRead(path);
      whole = true;
      return { shasum, size };
    } finally {
      closeSync(copy);
      if (!whole) rmSync(target, { force: true });
    }
  });
}
