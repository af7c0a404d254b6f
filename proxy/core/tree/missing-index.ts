// Distinguishes a package whose index is lost from a package that was never published: the lost one still has a
// document, or packages.json still lists the name.

import type { PackageName } from '../../../build/contract/name.ts';
import { indexPath, providerPath } from '../../../build/contract/paths.ts';
import { stampFile } from '../../../build/shared/files/file-stamp.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import type { ListedNames } from './listed-names.ts';

/** True if a document of the package is on the disk. `dataDirectory`: has `public/` and `index/`. */
export function hasDocument(dataDirectory: string, name: PackageName): boolean {
  return (['stable', 'dev'] as const).some(
    (kind) => stampFile(`${dataDirectory}/public/${providerPath(name, kind)}`) !== undefined,
  );
}

/**
 * The reason why a published package has no index. undefined: it has one, or no file shows its publication. An index is
 * published before its documents and packages.json, and removed after them, so this checks the index last.
 */
export function missingIndex(
  dataDirectory: string,
  name: PackageName,
  listed: Pick<ListedNames, 'has'>,
): UnusableFile | undefined {
  const path = `${dataDirectory}/index/${indexPath(name)}`;
  if (!hasDocument(dataDirectory, name) && !listed.has(name)) return undefined;
  if (stampFile(path) !== undefined) return undefined;
  return new UnusableFile(`${path} is missing, or is no file, although ${name} is published; run \`libretto verify\``);
}
