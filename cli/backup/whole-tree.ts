// Refuses to back up a tree that lost a file which no build writes again. Such a backup cannot be restored, and may
// replace the last one that can.

import { join } from 'node:path';

import type { PackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import { stampFile } from '../../build/shared/files/file-stamp.ts';
import { UsageError } from '../io/usage-error.ts';
import { treeDamage } from '../tree/damaged-tree.ts';
import { readPublishedTree } from '../tree/published-tree.ts';

/**
 * Throws UsageError that names the lost file: the announcement, packages.json, or the index of a published package. It
 * costs one stat for each package; `libretto verify` checks the rest.
 */
export function assertWholeTree(data: string): void {
  const damage = treeDamage(data);
  if (damage !== undefined) throw new UsageError(`No backup was made. ${damage}`);
  const lost = (readPublishedTree(data)?.names ?? []).filter(
    (name) => stampFile(join(data, 'index', indexPath(name as PackageName))) === undefined,
  );
  const [first] = lost;
  if (first === undefined) return;
  const others = lost.length === 1 ? '' : ` The same holds for ${lost.length - 1} more.`;
  throw new UsageError(
    `No backup was made. ${join(data, 'index', indexPath(first as PackageName))} is missing, or is no file, although ` +
      `packages.json lists ${first}.${others} Run \`libretto verify\`: it names the damage and the repair.`,
  );
}
