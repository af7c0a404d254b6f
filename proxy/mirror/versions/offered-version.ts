// Checks one version of an upstream's document. A version that Composer cannot load is refused with the reason, because
// it breaks every client that requests any version of the package. Pure.

import { parseSha1, type Sha1 } from '../../../build/contract/digest.ts';
import { isJsonObject, loneSurrogate, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { labelRefusal } from '../../../build/contract/label.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { parseDistLabel } from '../../../build/contract/paths.ts';
import { isDevVersion, normalizeVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import { mostOfRecord, weightOf } from '../../../build/shared/json/json-weight.ts';

export interface OfferedDist {
  /** the upstream's URL, unchanged */
  readonly url: string;
  /** in any form; empty without one */
  readonly reference: string;
  /** undefined if the upstream gives none to check against */
  readonly shasum: Sha1 | undefined;
}

export interface OfferedVersion {
  readonly version: string;
  readonly normalized: NormalizedVersion;
  readonly dev: boolean;
  /** the upstream's record, unchanged */
  readonly record: JsonObject;
  /** undefined of a metapackage without one */
  readonly dist: OfferedDist | undefined;
}

export interface Offered {
  readonly versions: readonly OfferedVersion[];
  readonly leftOut: readonly { readonly version: string; readonly because: string }[];
}

/** The reason why Composer could not load this composer.json; undefined if it can. */
export type CheckRecord = (record: JsonObject) => string | undefined;

/** If two records have one version, the first counts, as in Composer. */
export function offeredVersions(name: PackageName, records: readonly JsonObject[], check: CheckRecord): Offered {
  const versions = new Map<string, OfferedVersion>();
  const leftOut: { version: string; because: string }[] = [];
  for (const record of records) {
    const version = offeredVersion(name, record, check);
    if ('because' in version)
      leftOut.push({ version: String(record['version']).slice(0, 128), because: version.because });
    else if (!versions.has(version.normalized)) versions.set(version.normalized, version);
  }
  return { versions: [...versions.values()], leftOut };
}

function offeredVersion(
  name: PackageName,
  record: JsonObject,
  check: CheckRecord,
): OfferedVersion | { readonly because: string } {
  if (weightOf(record, mostOfRecord) > mostOfRecord)
    return { because: `its record has more than ${mostOfRecord} characters` };
  if (loneSurrogate(record) !== undefined)
    return { because: 'it contains half of a surrogate pair, which PHP cannot decode' };
  const { name: given, version } = record;
  if (typeof given !== 'string' || given.toLowerCase() !== name) return { because: 'it is of another package' };
  if (typeof version !== 'string') return { because: 'it has no version' };
  const normalized = normalizeVersion(version);
  if (normalized === undefined) return { because: 'Composer does not accept its version' };
  const label = parseDistLabel(version);
  if ('refusal' in label) return { because: `its version cannot be a path: ${label.refusal}` };
  const refusal = labelRefusal(version, normalized);
  if (refusal !== undefined) return { because: `its version ${refusal}` };
  if (!isReadableTime(record['time'])) return { because: 'its time is not text' };
  const dist = distOf(record);
  if (dist !== undefined && 'because' in dist) return dist;
  const fault = check(record);
  return fault === undefined
    ? { version, normalized, dev: isDevVersion(normalized), record, dist }
    : { because: fault };
}

function distOf(record: JsonObject): OfferedDist | undefined | { readonly because: string } {
  const dist = record['dist'];
  if (dist === undefined || dist === null)
    return record['type'] === 'metapackage' ? undefined : { because: 'it has no archive' };
  if (!isJsonObject(dist) || dist['type'] !== 'zip' || typeof dist['url'] !== 'string' || dist['url'] === '')
    return { because: 'its archive is not a ZIP' };
  return {
    url: dist['url'],
    reference: textOf(dist['reference']),
    shasum: parseSha1(textOf(dist['shasum']).toLowerCase()),
  };
}

/** Composer aborts on one that is neither text nor empty (ArrayLoader.php, configureObject). */
function isReadableTime(time: JsonValue | undefined): boolean {
  return typeof time === 'string' || !time || (typeof time === 'object' && Object.keys(time).length === 0);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
