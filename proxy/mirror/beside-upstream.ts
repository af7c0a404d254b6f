// What the operator says of mirrored packages, put beside what their upstream says: advisories and filter lists in a document. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageSafety } from '../../build/contract/safety-lists.ts';
import { dateShiftMs, viewShiftSeconds } from '../protocol/date-shift.ts';
import { TextDocument } from '../protocol/document.ts';
import { joined } from './mirrored-advisories.ts';

/** The document with `own` in it. What both say of one advisory is said as here. */
export function withOwnLists(document: TextDocument, own: PackageSafety): TextDocument {
  const json: unknown = JSON.parse(document.bytes.toString('utf8'));
  if (!isJsonObject(json)) throw new Error('the mirrored document is no JSON object');
  const { 'security-advisories': advisories, filter } = json;
  const lists = isJsonObject(filter) ? filter : {};
  const merged: JsonObject = {
    ...json,
    ...(own.advisories.length === 0 ? {} : { 'security-advisories': joined(own.advisories, objectsOf(advisories)) }),
    ...(Object.keys(own.filter).length === 0 ? {} : { filter: { ...lists, ...Object.fromEntries(Object.entries(own.filter).map(([list, entries]) => [list, [...entries, ...objectsOf(lists[list])]])) } }),
  };
  return new TextDocument(Buffer.from(`${JSON.stringify(merged)}\n`), document.lastModifiedMs - dateShiftMs(JSON.stringify(own), viewShiftSeconds));
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
