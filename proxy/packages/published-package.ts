// What readers see of one package now, read from the served tree: its documents, and what the serving index knows of
// their versions.

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath } from '../../build/contract/paths.ts';
import { parsePackageIndex, type IndexEntry } from '../../build/contract/serving-index.ts';
import { filterOf, passes, releaseOf, type View } from '../views/view.ts';
import { parseRows, type PublishedFiles } from '../tree/published-files.ts';

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
  const { index, ...documents } = await files.readPackage(name);
  const records = new Map<string, JsonObject>();
  for (const kind of ['stable', 'dev'] as const) {
    const path = `public/${providerPath(name, kind)}` as const;
    for (const record of parseRows(documents[kind], path, (text) => recordsOf(text, name)))
      records.set(
        keyOf(record['version'], isJsonObject(record['dist']) ? record['dist']['reference'] : undefined),
        record,
      );
  }
  if (records.size === 0) return [];
  const entries = parseRows(index, `index/${indexPath(name)}`, (text) => parsePackageIndex(text).versions);
  return entries.flatMap((entry) => {
    const record = records.get(keyOf(entry.version, entry.reference));
    return record !== undefined && (filter === 'all' || passes(filter, releaseOf(entry))) ? [{ entry, record }] : [];
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
