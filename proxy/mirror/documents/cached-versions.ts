// Reads the versions of a mirrored package from the document on disk. Sends no request.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { readDocumentFile } from '../upstream/document-file.ts';
import { parseJsonYielding } from '../../../build/shared/json/incremental-json.ts';
import { parseUpstreamDocumentYielding } from '../upstream/upstream-document.ts';

/**
 * The versions in these files, one after the other. An unreadable file counts as empty: the next request for it fetches
 * it again.
 */
export async function cachedVersions(name: PackageName, paths: readonly string[]): Promise<readonly JsonObject[]> {
  const records: JsonObject[] = [];
  for (const path of paths) for (const record of await versionsIn(path, name)) records.push(record);
  return records;
}

async function versionsIn(path: string, name: PackageName): Promise<readonly JsonObject[]> {
  try {
    const body = (await readDocumentFile(path))?.body;
    return body === undefined
      ? []
      : (await parseUpstreamDocumentYielding(await parseJsonYielding(body), name)).versions;
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}
