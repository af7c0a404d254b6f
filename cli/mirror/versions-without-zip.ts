// Finds versions in stored documents that cannot be mirrored, because they have a tar or only sources. Sends no request.

import { join } from 'node:path';
import { isJsonObject } from '../../build/contract/json.ts';
import { entriesIn } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { CachedNames, documentFiles } from '../../proxy/mirror/catalogue/cached-names.ts';
import { cachedVersions } from '../../proxy/mirror/documents/cached-versions.ts';

/** Sentences. `folder`: of the mirror. */
export async function versionsWithoutZip(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const registry of await entriesIn(join(folder, 'p2')))
    for (const [name, { paths }] of await new CachedNames(join(folder, 'p2', registry, 'p2'), documentFiles).look())
      for (const { version, type, dist } of (await cachedVersions(name, paths)).records) {
        const kind = isJsonObject(dist) ? String(dist['type']) : 'none';
        if (kind !== 'zip' && type !== 'metapackage')
          found.push(`${name} ${String(version)} is not mirrored: its archive is not a ZIP (${kind})`);
      }
  return found;
}
