// Removes purged contents from a package: the serving index keeps them until no document names them, and archives go
// last. Pure.

import type { PackageName } from '../contract/name.ts';
import { distPath, type DistLabel, type PublicPath } from '../contract/paths.ts';
import type { IndexEntry, PackageIndex } from '../contract/serving-index.ts';

/**
 * The index during the time in which documents still name the contents. Their READMEs and CHANGELOGs are removed before
 * the index is replaced.
 */
export function indexUntilDropped(next: PackageIndex, dropped: readonly IndexEntry[], now: Date): PackageIndex {
  const leaving = dropped.map(({ readme: _readme, changelog: _changelog, ...entry }) =>
    entry.state === 'published' ? { ...entry, state: 'withdrawn' as const, since: now.toISOString() } : entry,
  );
  return { ...next, versions: [...next.versions, ...leaving] };
}

/** Archives of dropped contents, and plain copies of them that no published version renews. */
export function archivesToRemove(
  name: PackageName,
  dropped: readonly IndexEntry[],
  left: readonly IndexEntry[],
): readonly PublicPath[] {
  const plain = ({ version }: IndexEntry): PublicPath => distPath(name, version as DistLabel);
  const staying = new Set(
    left.flatMap((entry) => [entry.path, ...(entry.state === 'published' ? [plain(entry)] : [])]),
  );
  return [...new Set(dropped.flatMap((entry) => [entry.path, plain(entry)]))].filter((path) => !staying.has(path));
}
