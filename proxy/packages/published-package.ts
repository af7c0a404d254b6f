// What readers see of one package now, read from the served tree: its documents, and what the serving index knows of
// their versions.

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath } from '../../build/contract/paths.ts';
import { parsePackageIndex, type IndexEntry } from '../../build/contract/serving-index.ts';
import { filterOf, passes, releaseOf, type View } from '../views/view.ts';
import { parsePublished, type PublishedFiles } from './published-files.ts';

export interface PublishedVersion {
  readonly entry: IndexEntry;
  /** as its p2 document has it */
  readonly record: JsonObject;
}

/**
 * Newest first, as far as `view` goes; empty where nothing is published under this name. Throws an Error that names the
 * file which cannot be used.
 */
export async function readPublishedPackage(
  files: PublishedFiles,
  name: PackageName,
  view?: View,
): Promise<readonly PublishedVersion[]> {
  const filter = filterOf(view, name);
  if (filter === 'none') return [];
  // a build writes the index first: whatever a document names is in an index that is read after it
  const records = new Map<string, JsonObject>();
  for (const kind of ['stable', 'dev'] as const) {
    for (const record of await parsePublished(files, `public/${providerPath(name, kind)}`, (text) =>
      recordsOf(text, name),
    ))
      records.set(
        keyOf(record['version'], isJsonObject(record['dist']) ? record['dist']['reference'] : undefined),
        record,
      );
  }
  if (records.size === 0) return [];
  const entries = await parsePublished(files, `index/${indexPath(name)}`, (text) => parsePackageIndex(text).versions);
  return entries.flatMap((entry) => {
    const record = records.get(keyOf(entry.version, entry.reference));
    return record === undefined || !passes(filter, releaseOf(entry)) ? [] : [{ entry, record }];
  });
}

function keyOf(version: unknown, reference: unknown): string {
  return `${String(version)} ${String(reference)}`;
}

function recordsOf(text: string, name: PackageName): readonly JsonObject[] {
  const json: unknown = JSON.parse(text);
  const packages = isJsonObject(json) ? json['packages'] : undefined;
  const versions = isJsonObject(packages) ? packages[name] : undefined;
  if (!isJsonObject(versions)) throw new Error(`it has no versions of ${name}`);
  return Object.values(versions).filter(isJsonObject);
}
