// What an upstream says of one package: its versions in full, and the lists beside them. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { mapInTurns } from './in-turns.ts';
import { createExpander, expandVersions, minifiedMark } from './minified.ts';
import { recordsOf } from './upstream-root.ts';

export interface UpstreamDocument {
  /** in the order in which they stand */
  readonly versions: readonly JsonObject[];
  /** of p2 documents: `security-advisories` and `filter`, as they stand */
  readonly advisories: JsonValue | undefined;
  readonly filter: JsonValue | undefined;
}

export const nothingSaid: UpstreamDocument = { versions: [], advisories: undefined, filter: undefined };

/** Throws an Error that says what is wrong with it. Only what stands under the package's own name counts. */
export function parseUpstreamDocument(json: unknown, name: PackageName): UpstreamDocument {
  const { records, minified, ...beside } = partsOf(json, name);
  return { versions: minified ? expandVersions(records) : records, ...beside };
}

/** As `parseUpstreamDocument`, and others get their turn in between. */
export async function parseUpstreamDocumentInTurns(json: unknown, name: PackageName): Promise<UpstreamDocument> {
  const { records, minified, ...beside } = partsOf(json, name);
  return { versions: minified ? await mapInTurns(records, createExpander()) : records, ...beside };
}

function partsOf(json: unknown, name: PackageName): Omit<UpstreamDocument, 'versions'> & { readonly records: readonly JsonObject[]; readonly minified: boolean } {
  if (!isJsonObject(json) || !(isJsonObject(json['packages']) || Array.isArray(json['packages']))) throw new Error('it is not a document with packages');
  const records = recordsOf(isJsonObject(json['packages']) ? json['packages'][name] : undefined);
  if (json['minified'] !== undefined && json['minified'] !== minifiedMark) throw new Error(`it is minified as ${JSON.stringify(json['minified'])?.slice(0, 60)}, which is not known here`);
  return { records, minified: json['minified'] === minifiedMark, advisories: json['security-advisories'], filter: json['filter'] };
}
