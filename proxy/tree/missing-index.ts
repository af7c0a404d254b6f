// Tells a package whose index is lost from a package that was never published: the lost one still has a document.

import type { PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath } from '../../build/contract/paths.ts';
import { stampFile } from '../../build/shared/files/file-stamp.ts';
import { UnusableFile } from '../../build/shared/files/unusable-file.ts';

/** Whether a document of the package is on the disk. `dataDirectory`: holds `public/` and `index/`. */
export function hasDocument(dataDirectory: string, name: PackageName): boolean {
  return (['stable', 'dev'] as const).some(
    (kind) => stampFile(`${dataDirectory}/public/${providerPath(name, kind)}`) !== undefined,
  );
}

/**
 * The reason why a published package has no index. undefined: it has one, or has no document either. An index is
 * published before its documents and removed after them, so this checks the documents first.
 */
export function missingIndex(dataDirectory: string, name: PackageName): UnusableFile | undefined {
  const path = `${dataDirectory}/index/${indexPath(name)}`;
  if (!hasDocument(dataDirectory, name) || stampFile(path) !== undefined) return undefined;
  return new UnusableFile(`${path} is missing, or is no file, although ${name} is published; run \`libretto verify\``);
}
