// Reads a document of an upstream from disk. Sends no request.

import { createHash } from 'node:crypto';
import type { PackageName } from '../../../build/contract/name.ts';
import { parseJsonYielding } from '../../../build/shared/json/incremental-json.ts';
import { readDocumentFile } from './document-file.ts';
import { parseUpstreamDocumentYielding, type UpstreamDocument } from './upstream-document.ts';

/** undefined: there is none, or it is unreadable: the next request for it fetches it again. */
export async function storedDocument(path: string, name: PackageName): Promise<UpstreamDocument | undefined> {
  try {
    const body = (await readDocumentFile(path))?.body;
    return body === undefined ? undefined : await parseUpstreamDocumentYielding(await parseJsonYielding(body), name);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The folder name has a digest of the whole address: another address is another upstream, even on the same host. */
export function folderOf(rootUrl: URL): string {
  return `${rootUrl.host.replaceAll(/[^a-z0-9.-]/g, '_')}-${createHash('sha256').update(rootUrl.href).digest('hex').slice(0, 12)}`;
}
