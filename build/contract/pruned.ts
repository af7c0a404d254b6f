// `index/_pruned/<vendor>/<package>.json`: which bytes the releases had that `prune` removed. A release that comes back
// has to have them again (I3).

import { withChecksum } from './checksum.ts';
import { parseReference, parseSha1, type Reference, type Sha1 } from './digest.ts';
import type { PackageName } from './name.ts';
import { parseVersionList } from './version-list.ts';

export const prunedFormat = 1;

/** Below `index/`. */
export const prunedFolder = '_pruned';

/** Below `index/`: no package has this path, since no vendor starts with an underscore. */
export function prunedPath(name: PackageName): string {
  return `${prunedFolder}/${name}.json`;
}

export interface PrunedRelease {
  /** the published label */
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: Reference;
  readonly shasum: Sha1;
  /** RFC 3339 UTC: when it was removed */
  readonly since: string;
}

/** Merges both lists: the newer row of a version counts. Canonical bytes. */
export function formatPruned(before: readonly PrunedRelease[], more: readonly PrunedRelease[]): string {
  const rows = [...new Map([...before, ...more].map((row) => [row.version_normalized, row])).values()].toSorted(
    (one, other) => (one.version_normalized < other.version_normalized ? -1 : 1),
  );
  const versions = rows.map(({ version, version_normalized, reference, shasum, since }) => ({
    version,
    version_normalized,
    reference,
    shasum,
    since,
  }));
  return withChecksum(JSON.stringify({ format: prunedFormat, versions }, null, 1));
}

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parsePruned(text: string): readonly PrunedRelease[] {
  return parseVersionList(text, prunedFormat, (row) => {
    const { version, version_normalized: normalized, reference: given, shasum: sum, since } = row;
    const [reference, shasum] = [parseReference(String(given)), parseSha1(String(sum))];
    if (
      typeof version !== 'string' ||
      typeof normalized !== 'string' ||
      typeof since !== 'string' ||
      reference === undefined ||
      shasum === undefined
    )
      return undefined;
    return { version, version_normalized: normalized, reference, shasum, since };
  });
}
