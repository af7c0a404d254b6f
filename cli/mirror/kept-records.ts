// What the documents say that are kept of a mirrored package, in full. Asks nobody.

import { join } from 'node:path';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { providerPath } from '../../build/contract/paths.ts';
import { readDocumentFile } from '../../proxy/mirror/document-file.ts';
import { parseJsonInTurns } from '../../proxy/mirror/json-in-turns.ts';
import { parseUpstreamDocumentInTurns } from '../../proxy/mirror/upstream-document.ts';

/** `documents`: where those of one upstream are kept. Releases come first. */
export async function keptRecords(name: PackageName, documents: string): Promise<readonly JsonObject[]> {
  const records: JsonObject[] = [];
  for (const stability of ['stable', 'dev'] as const) for (const record of await recordsIn(join(documents, providerPath(name, stability)), name)) records.push(record);
  return records;
}

/** What cannot be read counts as not kept, as it does when it is served. */
async function recordsIn(path: string, name: PackageName): Promise<readonly JsonObject[]> {
  try {
    const body = (await readDocumentFile(path))?.body;
    return body === undefined ? [] : (await parseUpstreamDocumentInTurns(await parseJsonInTurns(body), name)).versions;
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}
