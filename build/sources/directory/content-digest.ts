// The reference of a directory release: a digest of only the files in its archive. Equal files give an equal reference
// and archive on every machine (decision D5).

import { createHash } from 'node:crypto';
import { parseReference, type Reference } from '../../contract/digest.ts';
import { type ContentFile, sortedByPath } from '../../archive/content.ts';

/**
 * The first 40 hex characters of a SHA-256 over the files, sorted by path, and over composer.json. composer.json counts
 * even if its package has no archive. Every part is preceded by its length in bytes, so that no two different lists can
 * look alike. `composerHash` is hex SHA-256.
 */
export function contentReference(files: readonly ContentFile[], composerHash: string): Reference {
  const parts = [
    'libretto directory content 1',
    composerHash,
    ...sortedByPath(files).flatMap(({ path, mode, identity }) => [path, mode, identity]),
  ];
  const hash = createHash('sha256').update(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''));
  const reference = parseReference(hash.digest('hex').slice(0, 40));
  if (reference === undefined) throw new Error('A hex digest is a reference.');
  return reference;
}

const earliest = Date.UTC(1990, 0, 2) / 1000;
const latest = Date.UTC(2019, 11, 30) / 1000;

/**
 * The time all entries of the archive carry, epoch seconds: even, from 1990-01-02 to 2019-12-30. Different contents
 * have different times, because PHP's opcache detects a replaced file by its time alone.
 */
export function entryTimeOf(reference: Reference): number {
  const steps = (latest - earliest) / 2 + 1;
  return earliest + 2 * (Number.parseInt(reference.slice(0, 12), 16) % steps);
}
