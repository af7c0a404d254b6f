// Adds the operator's own advisories and filter lists for mirrored packages to those of the upstream, in a document.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { PackageAdvisories } from '../../../build/contract/advisory-lists.ts';
import { dateShiftMs, viewShiftSeconds } from '../../../build/shared/caches/date-shift.ts';
import { TextDocument } from '../../core/http/document.ts';
import { joined } from './mirrored-advisories.ts';
import { formatProviderDocument, readProviderDocument } from '../../core/documents/provider-document.ts';

/** The document with `own` added. If both have one advisory, the local one counts. */
export async function mergeLocalAdvisories(
  document: TextDocument,
  name: PackageName,
  own: PackageAdvisories,
): Promise<TextDocument> {
  const { records, beside } = await readProviderDocument(document, name);
  const { 'security-advisories': advisories, filter } = beside;
  const lists = isJsonObject(filter) ? filter : {};
  const merged: JsonObject = {
    ...beside,
    ...(own.advisories.length === 0 ? {} : { 'security-advisories': joined(own.advisories, objectsOf(advisories)) }),
    ...(Object.keys(own.filter).length === 0
      ? {}
      : {
          filter: {
            ...lists,
            ...Object.fromEntries(
              Object.entries(own.filter).map(([list, entries]) => [list, [...entries, ...objectsOf(lists[list])]]),
            ),
          },
        }),
  };
  return new TextDocument(
    await formatProviderDocument(name, { records, beside: merged }),
    document.lastModifiedMs - dateShiftMs(JSON.stringify(own), viewShiftSeconds),
  );
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
