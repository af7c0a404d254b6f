// Parses an upstream document of one package: all versions, and the lists next to them. Pure.

import { isJsonObject, loneSurrogate, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { weightOf } from '../../../build/shared/json/json-weight.ts';
import { expandYielding, minifiedMark } from '../../core/documents/minified.ts';
import { recordsOf } from './upstream-root.ts';

export interface UpstreamDocument {
  /** in the order of the document */
  readonly versions: readonly JsonObject[];
  /** `security-advisories` and `filter` of p2 documents, unchanged */
  readonly advisories: JsonValue | undefined;
  readonly filter: JsonValue | undefined;
}

export const nothingSaid: UpstreamDocument = { versions: [], advisories: undefined, filter: undefined };

/** The keys at the top of a document. */
export function besideOf({ advisories, filter }: Pick<UpstreamDocument, 'advisories' | 'filter'>): JsonObject {
  return {
    ...(advisories === undefined ? {} : { 'security-advisories': advisories }),
    ...(filter === undefined ? {} : { filter }),
  };
}

/**
 * Rejects with an Error that describes the fault. Only versions under the package's own name count. Yields to other
 * requests.
 */
export async function parseUpstreamDocumentYielding(json: unknown, name: PackageName): Promise<UpstreamDocument> {
  const { records, unusable, minified, ...beside } = partsOf(json, name);
  for (const list of Object.values(beside)) {
    if (weightOf(list, mostOfLists) > mostOfLists)
      throw new Error(`its lists of advisories and filters have more than ${mostOfLists} characters`);
    if (rowsIn(list) > mostRows) throw new Error(`its lists of advisories and filters have more than ${mostRows} rows`);
  }
  return { versions: [...(minified ? await expandYielding(records) : records), ...unusable], ...beside };
}

const mostOfLists = 1024 ** 2;
/** Of one package. Each rule compares each of them with each version. */
const mostRows = 2000;
/** Several times those of the largest packages there are. */
const mostVersions = 50_000;

/** Of a list of advisories, or of an object with filter lists. */
function rowsIn(lists: JsonValue | undefined): number {
  if (Array.isArray(lists)) return lists.length;
  return isJsonObject(lists) ? Object.values(lists).reduce<number>((rows, list) => rows + rowsIn(list), 0) : 0;
}

function partsOf(
  json: unknown,
  name: PackageName,
): Omit<UpstreamDocument, 'versions'> & ReturnType<typeof recordsOf> & { readonly minified: boolean } {
  if (!isJsonObject(json) || !(isJsonObject(json['packages']) || Array.isArray(json['packages'])))
    throw new Error('it is not a document with packages');
  const { records, unusable } = recordsOf(isJsonObject(json['packages']) ? json['packages'][name] : undefined);
  if (records.length + unusable.length > mostVersions) throw new Error(`it has more than ${mostVersions} versions`);
  if (json['minified'] !== undefined && json['minified'] !== minifiedMark)
    throw new Error(`it is minified as ${JSON.stringify(json['minified'])?.slice(0, 60)}, which is not known here`);
  return {
    records,
    unusable,
    minified: json['minified'] === minifiedMark,
    advisories: json['security-advisories'],
    filter: wellFormed(json['filter']),
  };
}

/**
 * A document with half of a surrogate pair in it is one that PHP cannot decode. Such a half becomes U+FFFD, so that the
 * lists stay.
 */
function wellFormed(list: JsonValue | undefined): JsonValue | undefined {
  if (loneSurrogate(list) === undefined) return list;
  if (typeof list === 'string') return list.toWellFormed();
  if (Array.isArray(list)) return (list as readonly JsonValue[]).map((one) => wellFormed(one) ?? null);
  if (!isJsonObject(list)) return list;
  return Object.fromEntries(
    Object.entries(list).map(([key, value]) => [key.toWellFormed(), wellFormed(value) ?? null]),
  );
}
