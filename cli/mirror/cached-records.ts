// Reads the complete records in the cached documents of a mirrored package. Sends no request.

import { join } from 'node:path';
import type { PackageName } from '../../build/contract/name.ts';
import { providerPath } from '../../build/contract/paths.ts';
import { cachedVersions, type CachedVersions } from '../../proxy/mirror/documents/cached-versions.ts';
import { rootUrlOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../proxy/mirror/upstream/upstream.ts';

/**
 * The records of the repository with this address; its documents are below `folder` of the mirror. Releases come first.
 */
export function cachedRecords(name: PackageName, folder: string, url: string): Promise<CachedVersions> {
  const documents = join(folder, 'p2', folderOf(rootUrlOf(url)));
  return cachedVersions(name, [
    join(documents, providerPath(name, 'stable')),
    join(documents, providerPath(name, 'dev')),
  ]);
}
