// Normalizes advisories of upstreams so that every Composer can load them. An advisory that cannot be loaded aborts
// `composer audit` for the whole project. Before Composer 2.7 the same happens with one in a document that names only
// the affected versions (PartialSecurityAdvisory.php; ComposerRepository.php, getSecurityAdvisories). Pure.

import { parseConstraint } from '../../../build/contract/constraint.ts';
import { isJsonObject, loneSurrogate, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';

export interface UpstreamAdvisoryContext {
  readonly name: PackageName;
  /** host and port of the upstream */
  readonly host: string;
  /** the complete advisories that the upstream serves elsewhere for the package */
  readonly known: readonly JsonObject[];
}

/** Replaces a missing report time of an advisory. */
const longAgo = '1970-01-01T00:00:00+00:00';
/** Real constraints are far shorter; parsing a longer one would take too much time. */
const longestConstraint = 16_384;

/** The advisories that name affected versions. There may be thousands, so the function yields to other requests. */
export async function usableAdvisories(said: JsonValue | undefined): Promise<readonly JsonObject[]> {
  const usable: JsonObject[] = [];
  await mapYielding(
    Array.isArray(said) ? (said as readonly JsonValue[]) : [],
    (value) => void (isUsable(value) && usable.push(value)),
  );
  return usable;
}

/**
 * Turns usable advisories into a form that all Composers can load. Missing fields come from the known complete
 * advisory, or say that they are unknown. Complete ones stay unchanged.
 */
export function normalizeAdvisories(
  usable: readonly JsonObject[],
  { name, host, known }: UpstreamAdvisoryContext,
): readonly JsonObject[] {
  const byId = new Map(known.map((advisory) => [String(advisory['advisoryId']), advisory]));
  return usable.map((advisory) =>
    isComplete(advisory, name)
      ? advisory
      : completed(advisory, byId.get(String(advisory['advisoryId'])), { name, host }),
  );
}

function completed(
  advisory: JsonObject,
  elsewhere: JsonObject | undefined,
  { name, host }: Omit<UpstreamAdvisoryContext, 'known'>,
): JsonObject {
  const id = String(advisory['advisoryId']);
  const first = (field: string, isFit: (value: JsonValue | undefined) => boolean, otherwise: JsonValue): JsonValue =>
    [advisory[field], elsewhere?.[field]].find((value) => value !== null && isFit(value)) ?? otherwise;
  return {
    ...elsewhere,
    ...advisory,
    packageName: name,
    title: first('title', isText, `Security advisory ${id}`),
    cve: first('cve', isText, null),
    link: first('link', isText, null),
    severity: first('severity', isText, null),
    reportedAt: first('reportedAt', isTime, longAgo),
    sources: first('sources', areSources, [{ name: host, remoteId: id }]),
  };
}

function isUsable(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !isText(value['advisoryId']) || loneSurrogate(value) !== undefined) return false;
  const versions = value['affectedVersions'];
  return (
    typeof versions === 'string' &&
    versions.length <= longestConstraint &&
    versions.trim() !== '' &&
    !('refusal' in parseConstraint(versions))
  );
}

export function isComplete(
  { packageName, title, cve, link, severity, reportedAt, sources }: JsonObject,
  name: PackageName,
): boolean {
  return (
    typeof packageName === 'string' &&
    parsePackageName(packageName.toLowerCase()) === name &&
    isText(title) &&
    [cve, link, severity].every((text) => text === undefined || text === null || isText(text)) &&
    isTime(reportedAt) &&
    areSources(sources)
  );
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

/** The formats that PHP's DateTime certainly parses: RFC 3339, or a date and a time with a space between. */
function isTime(value: JsonValue | undefined): boolean {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(value) &&
    !Number.isNaN(Date.parse(value.replace(' ', 'T')))
  );
}

function areSources(value: JsonValue | undefined): boolean {
  return (
    Array.isArray(value) &&
    (value as readonly JsonValue[]).every(
      (source) => isJsonObject(source) && isText(source['name']) && isText(source['remoteId']),
    )
  );
}
