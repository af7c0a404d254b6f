// Joins advisories, filter lists and `abandoned` of several documents about one package. Pure.

import { parseConstraint } from '../../../build/contract/constraint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { besideOf, type UpstreamDocument } from '../upstream/upstream-document.ts';

/**
 * What these documents of one upstream say about the package as a whole, without empty lists. The first one counts for
 * `abandoned`.
 */
export function saidIn(documents: readonly UpstreamDocument[]): JsonObject {
  return unionOf([{}, ...documents.map((document) => ({ ...besideOf(document), ...abandonedIn(document.versions) }))]);
}

/** What the newest of these versions says about the package. */
function abandonedIn([newest]: readonly JsonObject[]): JsonObject {
  const abandoned = newest?.['abandoned'];
  return abandoned === undefined || abandoned === false || abandoned === '' ? {} : { abandoned };
}

/**
 * True if each list and each row of this document can be read. A row that cannot is no proof that a version is no
 * longer listed.
 */
export function areReadable({ advisories, filter }: Pick<UpstreamDocument, 'advisories' | 'filter'>): boolean {
  const rowsAreReadable = (rows: JsonValue | undefined, constraint: string): boolean =>
    Array.isArray(rows) &&
    (rows as readonly JsonValue[]).every((row) => isJsonObject(row) && isReadable(row[constraint]));
  return (
    (isEmpty(advisories) || rowsAreReadable(advisories, 'affectedVersions')) &&
    (isEmpty(filter) ||
      (isJsonObject(filter) && Object.values(filter).every((rows) => rowsAreReadable(rows, 'constraint'))))
  );
}

function isReadable(constraint: JsonValue | undefined): boolean {
  return typeof constraint === 'string' && !('refusal' in parseConstraint(constraint));
}

/** PHP writes an empty object as `[]`. */
function isEmpty(list: JsonValue | undefined): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.length === 0);
}

/** All rows, each once; `abandoned` of the first that says it. */
export function unionOf(all: readonly JsonObject[]): JsonObject {
  if (all.length === 1) return all[0] ?? {};
  const advisories = rowsOnce(all.map((one) => one['security-advisories']));
  const filters = all.map(({ filter }) => (isJsonObject(filter) ? filter : {}));
  const names = new Set(filters.flatMap((filter) => Object.keys(filter)));
  const lists = [...names].map((name) => [name, rowsOnce(filters.map((filter) => filter[name]))] as const);
  const filled = lists.filter(([, rows]) => rows.length > 0);
  const abandoned = all.find((one) => one['abandoned'] !== undefined)?.['abandoned'];
  return {
    ...(advisories.length === 0 ? {} : { 'security-advisories': advisories }),
    ...(filled.length === 0 ? {} : { filter: Object.fromEntries(filled) }),
    ...(abandoned === undefined ? {} : { abandoned }),
  };
}

/** The names of the lists that had rows before, and have none now. */
export function emptiedLists(before: JsonObject, now: JsonObject): readonly string[] {
  const left = new Set(listsIn(now));
  return listsIn(before).filter((name) => !left.has(name));
}

/** Of lists of `saidIn`: no list is empty. */
function listsIn({ 'security-advisories': advisories, filter }: JsonObject): readonly string[] {
  return [
    ...(advisories === undefined ? [] : ['security-advisories']),
    ...Object.keys(isJsonObject(filter) ? filter : {}),
  ];
}

function rowsOnce(lists: readonly (JsonValue | undefined)[]): readonly JsonValue[] {
  const rows = lists.flatMap((list) => (Array.isArray(list) ? (list as readonly JsonValue[]) : []));
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}
