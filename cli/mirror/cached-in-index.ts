// Looks a package up in the cached document of a repository with a single document. Sends no request.

import { join } from 'node:path';

import { isJsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { readDocumentFile, type DocumentFile } from '../../proxy/mirror/upstream/document-file.ts';
import { includeKey } from '../../proxy/mirror/upstream/included-packages.ts';
import { parseJsonYielding } from '../../build/shared/json/incremental-json.ts';
import {
  includesOf,
  parseUpstreamRoot,
  recordsByName,
  rootUrlOf,
  type UpstreamRoot,
} from '../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../proxy/mirror/upstream/upstream.ts';

/**
 * Epoch milliseconds: the last time when packages.json of the repository, or a file that it includes, had the package.
 * undefined: unknown.
 */
export async function cachedInIndex(name: PackageName, url: string, folder: string): Promise<number | undefined> {
  const rootUrl = rootUrlOf(url);
  const cacheFolder = join(folder, 'p2', folderOf(rootUrl));
  const file = await readDocumentFile(join(cacheFolder, 'packages.json'));
  const root = await readRoot(file, rootUrl);
  if (file === undefined || root === undefined) return undefined;
  if ((root.packages.get(name) ?? []).length > 0) return file.checkedAtMs;
  const queue = root.layout.kind === 'inline' ? [...root.layout.includes] : [];
  const seen = new Set<string>();
  for (const include of queue) {
    const key = includeKey(include);
    const json = seen.has(key) ? undefined : await readJson(await readDocumentFile(join(cacheFolder, key)));
    seen.add(key);
    if (!isJsonObject(json)) continue;
    if ((recordsByName(json['packages']).get(name) ?? []).length > 0) return file.checkedAtMs;
    queue.push(...(understood(() => includesOf(json, rootUrl)) ?? []));
  }
  return undefined;
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
