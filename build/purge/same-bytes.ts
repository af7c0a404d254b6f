// Finds the contents of this registry whose archives have the bytes of a foreign tombstone, under another label or
// name. A purge includes the same bytes, so foreign tombstones do too. Reads the tree and changes nothing.

import type { PackageName } from '../contract/name.ts';
import { lookUpPurged, type PurgedVersion } from '../contract/purged.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { inspecting, recoverIndex } from '../documents/recover-index.ts';
import { listTreePackages } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { readOwnIndex } from '../output/parse-own-file.ts';
import { tombstonesOf } from './find-purge.ts';

/** Tombstones of the contents that have the bytes of a row, and that no row keeps out by label or reference. */
export async function tombstonesOfSameBytes(
  output: Output,
  rows: readonly PurgedVersion[],
  now: Date,
): Promise<readonly PurgedVersion[]> {
  const known = new Map(rows.flatMap((row) => (row.sha1 === null ? [] : [[row.sha1, row] as const])));
  if (known.size === 0) return [];
  const { blocks } = lookUpPurged(rows);
  const found: PurgedVersion[] = [];
  for (const name of await listTreePackages(output)) {
    for (const entry of (await contentsHere(output, name)) ?? []) {
      const row = known.get(entry.shasum);
      if (row === undefined) continue;
      if (blocks(name, { normalized: entry.version_normalized, reference: entry.reference }) === undefined)
        found.push(...(await tombstonesOf(output, [{ name, entry }], row.reason, now)));
    }
  }
  return found;
}

/**
 * Returns the contents of a package in this registry. If the serving index is lost or damaged, documents and archives
 * restore it. undefined: they cannot restore it.
 */
export async function contentsHere(output: Output, name: PackageName): Promise<readonly IndexEntry[] | undefined> {
  try {
    return ((await readOwnIndex(output, name)) ?? (await recoverIndex(output, name, inspecting())))?.versions ?? [];
  } catch (error) {
    if (error instanceof PackageDamaged) return undefined;
    throw error;
  }
}
