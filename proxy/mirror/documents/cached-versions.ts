// Reads a mirrored package from its documents on disk. Sends no request.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { storedDocument } from '../upstream/stored-document.ts';
import { besideOf, nothingSaid } from '../upstream/upstream-document.ts';

export interface CachedVersions {
  readonly records: readonly JsonObject[];
  /** the advisories and filter lists of these documents */
  readonly beside: JsonObject;
}

export const noVersions: CachedVersions = { records: [], beside: {} };

/**
 * The versions in these files, one after the other. An unreadable file counts as empty: the next request for it fetches
 * it again.
 */
export async function cachedVersions(name: PackageName, paths: readonly string[]): Promise<CachedVersions> {
  const records: JsonObject[] = [];
  let beside: JsonObject = {};
  for (const path of paths) {
    const document = (await storedDocument(path, name)) ?? nothingSaid;
    for (const record of document.versions) records.push(record);
    beside = { ...besideOf(document), ...beside };
  }
  return { records, beside };
}
