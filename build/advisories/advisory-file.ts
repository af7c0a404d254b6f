// Security advisories in the operator's files: a list, or a response of the public registry's API. Pure; every entry
// that is wrong is named.

import type { Advisory } from '../contract/advisory-lists.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { parsePackageName } from '../contract/name.ts';
import { parseConstraint } from '../contract/constraint.ts';

/** Receives each fault: the entry, and the complaint. */
export type Complain = (where: string, complaint: string) => void;

/** The advisories of a file's JSON, sorted by id; those that were complained of are left out. */
export function readAdvisories(json: JsonValue, complain: Complain): readonly Advisory[] {
  const rows = rowsOf(json);
  if (rows === undefined) {
    complain('', 'must be a list of advisories, or an object like {"advisories": {"acme/hello": […]}}');
    return [];
  }
  const advisories = rows.flatMap(({ where, row, name }) => readAdvisory(row, where, name, complain) ?? []);
  return advisories.toSorted((one, other) => (one.advisoryId < other.advisoryId ? -1 : 1));
}

interface Row {
  readonly where: string;
  readonly row: JsonValue;
  /** the package name that is the key of the entry */
  readonly name: string | undefined;
}

function rowsOf(json: JsonValue): readonly Row[] | undefined {
  if (Array.isArray(json)) return json.map((row: JsonValue, at) => ({ where: `[${at}]`, row, name: undefined }));
  const byName = isJsonObject(json) ? json['advisories'] : undefined;
  if (Array.isArray(byName))
    return byName.map((row: JsonValue, at) => ({ where: `.advisories[${at}]`, row, name: undefined }));
  if (!isJsonObject(byName)) return undefined;
  return Object.entries(byName).flatMap(([name, list]) => {
    const place = `.advisories[${JSON.stringify(name)}]`;
    // PHP writes a list as an object after its first entries were removed
    const rows = Array.isArray(list)
      ? (list as readonly JsonValue[])
      : isJsonObject(list)
        ? Object.values(list)
        : [null];
    return rows.map((row, at) => ({ where: `${place}[${at}]`, row: row ?? null, name }));
  });
}

function readAdvisory(
  row: JsonValue,
  where: string,
  under: string | undefined,
  complain: Complain,
): Advisory | undefined {
  if (!isJsonObject(row)) {
    complain(where, 'must be an object');
    return undefined;
  }
  let sound = true;
  const object = (key: string, rule: string): void => {
    sound = false;
    complain(`${where}.${key}`, rule);
  };
  const packageName = String(row['packageName'] ?? under ?? '').toLowerCase();
  if (parsePackageName(packageName) === undefined) object('packageName', 'must be a package name such as "acme/hello"');
  for (const key of ['advisoryId', 'title'] as const)
    if (typeof row[key] !== 'string' || row[key].trim() === '') object(key, 'must be text');
  constraintFault(row['affectedVersions'], (rule) => object('affectedVersions', rule));
  if (typeof row['reportedAt'] !== 'string' || !isTime(row['reportedAt']))
    object('reportedAt', 'must be a time such as "2026-03-01T12:00:00+00:00"');
  for (const key of ['cve', 'link', 'severity'] as const)
    if (!isTextOrNothing(row[key])) object(key, 'must be text or null');
  if (row['sources'] !== undefined && !areSources(row['sources']))
    object('sources', 'must be a list of {"name": …, "remoteId": …}');
  if (!sound) return undefined;
  const advisoryId = String(row['advisoryId']);
  // Composer takes an advisory without sources for a partial one, which `composer audit` cannot show
  return {
    ...row,
    advisoryId,
    packageName,
    sources:
      row['sources'] === undefined || sourcesOf(row).length === 0
        ? [{ name: 'libretto', remoteId: advisoryId }]
        : sourcesOf(row),
  } as unknown as Advisory;
}

function sourcesOf(row: JsonObject): readonly JsonValue[] {
  return Array.isArray(row['sources']) ? row['sources'] : [];
}

/** Composer stops altogether at a constraint it cannot read. */
export function constraintFault(value: JsonValue | undefined, complain: (rule: string) => void): void {
  const parsed = typeof value === 'string' && value.trim() !== '' ? parseConstraint(value) : { refusal: 'is not text' };
  if ('refusal' in parsed)
    complain(`must be a version constraint such as ">=1.0,<1.2.3": the constraint ${parsed.refusal}`);
}

export function isTextOrNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function areSources(value: JsonValue): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (source: JsonValue) =>
        isJsonObject(source) && typeof source['name'] === 'string' && typeof source['remoteId'] === 'string',
    )
  );
}

/** The two forms of PHP's DateTime and the public registry: RFC 3339, or a date and a time with a space between. */
function isTime(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text) &&
    !Number.isNaN(Date.parse(text.replace(' ', 'T')))
  );
}
