// Reads a mirrored package from its documents on disk. Sends no request.

import { join } from 'node:path';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { providerPath } from '../../../build/contract/paths.ts';
import { isOf } from '../upstream/joined-documents.ts';
import { storedDocument } from '../upstream/stored-document.ts';
import { besideOf, nothingSaid } from '../upstream/upstream-document.ts';
import { rootUrlOf } from '../upstream/upstream-root.ts';
import { folderOf } from '../upstream/stored-document.ts';
import type { Stability } from '../upstream/upstream.ts';

export interface CachedVersions {
  readonly records: readonly JsonObject[];
  /** releases of the document of dev versions that are not read, because there are others in that of releases */
  readonly unread?: readonly JsonObject[];
  /** the advisories and filter lists of these documents */
  readonly beside: JsonObject;
}

export const noVersions: CachedVersions = { records: [], beside: {} };

/**
 * The versions in these files, one after the other, each label once. An unreadable file counts as empty: the next
 * request for it fetches it again.
 */
export async function cachedVersions(name: PackageName, paths: readonly string[]): Promise<CachedVersions> {
  const [records, unread]: [JsonObject[], JsonObject[]] = [[], []];
  let beside: JsonObject = {};
  for (const path of paths) {
    const document = (await storedDocument(path, name)) ?? nothingSaid;
    const known = new Set(records.map(({ version }) => version));
    const hasReleases = records.some((record) => isOf(record, 'stable'));
    for (const record of document.versions.filter(({ version }) => !known.has(version)))
      (hasReleases && isOf(record, 'stable') ? unread : records).push(record);
    beside = { ...besideOf(document), ...beside };
  }
  return { records, unread, beside };
}

/** The versions of the repository with this address; its documents are below `folder` of the mirror. */
export function cachedRecords(name: PackageName, folder: string, url: string): Promise<CachedVersions> {
  return cachedVersions(name, [documentPath(name, folder, url, 'stable'), documentPath(name, folder, url, 'dev')]);
}

/** Of the document that this repository has of the package. */
export function documentPath(name: PackageName, folder: string, url: string, kind: Stability): string {
  return join(folder, 'p2', folderOf(rootUrlOf(url)), providerPath(name, kind));
}
