// Looks a package up in the cached packages.json of a repository, and in the files that it includes. Sends no request.

import { join } from 'node:path';

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { readDocumentFile, type DocumentFile } from '../../proxy/mirror/upstream/document-file.ts';
import { includeKey } from '../../proxy/mirror/upstream/included-packages.ts';
import { parseJsonYielding } from '../../build/shared/json/incremental-json.ts';
import {
  packagesIn,
  parseUpstreamRoot,
  rootUrlOf,
  type UpstreamRoot,
} from '../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../proxy/mirror/upstream/upstream.ts';

export interface CachedInIndex {
  readonly records: readonly JsonObject[];
  /** epoch milliseconds: the last time when packages.json was requested */
  readonly askedAtMs: number;
  /** false: its list of names lacks the package */
  readonly mayHave: boolean;
}

/**
 * The records of the package in packages.json of the repository, or in the files that it includes. undefined:
 * packages.json is not stored.
 */
export async function cachedInIndex(
  name: PackageName,
  url: string,
  folder: string,
): Promise<CachedInIndex | undefined> {
  const rootUrl = rootUrlOf(url);
  const cacheFolder = join(folder, 'p2', folderOf(rootUrl));
  const file = await readDocumentFile(join(cacheFolder, 'packages.json'));
  const root = await readRoot(file, rootUrl);
  if (file === undefined || root === undefined) return undefined;
  const rest = { askedAtMs: file.checkedAtMs, mayHave: root.mayHave(name) };
  const inPlace = root.packages.get(name) ?? [];
  if (inPlace.length > 0) return { records: inPlace, ...rest };
  const records: JsonObject[] = [];
  const queue = root.layout.kind === 'packages' ? [...root.layout.includes] : [];
  const seen = new Set<string>();
  for (const include of queue) {
    const key = includeKey(include);
    const json = seen.has(key) ? undefined : await readJson(await readDocumentFile(join(cacheFolder, key)));
    seen.add(key);
    const listed = isJsonObject(json) ? understood(() => packagesIn(json, rootUrl)) : undefined;
    records.push(...(listed?.entries.get(name) ?? []));
    queue.push(...(listed?.includes ?? []));
  }
  return { records, ...rest };
}

async function readRoot(file: DocumentFile | undefined, url: URL): Promise<UpstreamRoot | undefined> {
  const json = await readJson(file);
  return json === undefined ? undefined : understood(() => parseUpstreamRoot(json, url));
}

/** undefined for an unreadable entry, which the server then requests again. */
function understood<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

async function readJson(file: DocumentFile | undefined): Promise<unknown> {
  try {
    return file?.body === undefined ? undefined : await parseJsonYielding(file.body);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
