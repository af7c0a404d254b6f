// Reads the versions of a mirrored package from the document on disk. Sends no request.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { readDocumentFile } from '../upstream/document-file.ts';
import { parseJsonYielding } from '../../../build/shared/json/incremental-json.ts';
import { parseUpstreamDocumentYielding } from '../upstream/upstream-document.ts';

/**
 * Of these files, one after the other. One that cannot be read says nothing: it is asked for anew by whoever is to be
 * served with it.
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
