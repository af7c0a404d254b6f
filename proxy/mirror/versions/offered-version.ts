// Checks one version of an upstream's document. A version that Composer cannot load is refused with the reason, because
// it breaks every client that requests any version of the package. Pure.

import { parseSha1, type Sha1 } from '../../../build/contract/digest.ts';
import { isJsonObject, loneSurrogate, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { labelRefusal } from '../../../build/contract/label.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { parseDistLabel } from '../../../build/contract/paths.ts';
import { isDevVersion, normalizeVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
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

/**
 * The kind of the reason: Composer could not load the version; its archive is no ZIP; it has no archive, as one with
 * only a `source`; another record counts for its label.
 */
export type DropReason = 'unloadable' | 'dist-type' | 'no-dist' | 'label';

export interface Dropped {
  readonly reason: DropReason;
  readonly because: string;
}

export interface Offered {
  readonly versions: readonly OfferedVersion[];
  readonly leftOut: readonly (Dropped & { readonly version: string })[];
}

/** The reason why Composer could not load this composer.json; undefined if it can. */
export type CheckRecord = (record: JsonObject) => string | undefined;

/**
 * Two labels of one release are two versions if their builds differ, as 1.0.0 and 1.0.0+build5: of each, one archive is
 * accepted. Of other spellings the first counts.
 */
export function offeredVersions(name: PackageName, records: readonly JsonObject[], check: CheckRecord): Offered {
  const { add, offered } = collectOffered(name, check);
  for (const record of records) add(record);
  return offered();
}

/** The same, while other requests get their turn. */
export async function offeredVersionsYielding(
  name: PackageName,
  records: readonly JsonObject[],
  check: CheckRecord,
): Promise<Offered> {
  const { add, offered } = collectOffered(name, check);
  await mapYielding(records, add);
  return offered();
}

function collectOffered(name: PackageName, check: CheckRecord) {
  const firsts = new Map<string, OfferedVersion>();
  const leftOut: Offered['leftOut'][number][] = [];
  const add = (record: JsonObject): void => {
    const one = offeredVersion(name, record, check);
    const key = 'because' in one ? '' : one.dev ? one.version : one.normalized + buildOf(one.version);
    const first = firsts.get(key);
    if ('because' in one) leftOut.push({ version: String(record['version']).slice(0, 128), ...one });
    else if (first === undefined) firsts.set(key, one);
    else leftOut.push({ version: one.version, reason: 'label', because: `${first.version} is the same, and counts` });
  };
  const offered = (): Offered => ({ versions: [...firsts.values()], leftOut });
  return { add, offered };
}

/** `+build5` of `1.0.0+build5`: the part of a label that Composer's comparison leaves out. Empty without one. */
export function buildOf(label: string): string {
  const at = label.indexOf('+');
  return at < 0 ? '' : label.slice(at);
}

function offeredVersion(name: PackageName, record: JsonObject, check: CheckRecord): OfferedVersion | Dropped {
  const refused = (because: string): Dropped => ({ reason: 'unloadable', because });
  if (weightOf(record, mostOfRecord) > mostOfRecord)
    return refused(`its record has more than ${mostOfRecord} characters`);
  if (loneSurrogate(record) !== undefined)
    return refused('it contains half of a surrogate pair, which PHP cannot decode');
  const { name: given, version } = record;
  if (typeof given !== 'string') return refused('it is no object with the name of the package');
  if (given.toLowerCase() !== name) return refused('it is of another package');
  if (typeof version !== 'string') return refused('it has no version');
  const normalized = normalizeVersion(version);
  if (normalized === undefined) return refused('Composer does not accept its version');
  const label = parseDistLabel(version);
  if ('refusal' in label) return refused(`its version cannot be a path: ${label.refusal}`);
  const refusal = labelRefusal(version, normalized);
  if (refusal !== undefined) return refused(`its version ${refusal}`);
  if (!isReadableTime(record['time'])) return refused('its time is not text');
  const dist = distOf(record);
  if (dist !== undefined && 'because' in dist) return dist;
  const fault = check(record);
  return fault === undefined ? { version, normalized, dev: isDevVersion(normalized), record, dist } : refused(fault);
}

function distOf(record: JsonObject): OfferedDist | undefined | Dropped {
  const { dist, source, type } = record;
  if (dist === undefined || dist === null) {
    const only = isJsonObject(source) ? `only a source (${String(source['type']).slice(0, 20)})` : 'no archive';
    return type === 'metapackage' ? undefined : { reason: 'no-dist', because: `it has ${only}; archives are mirrored` };
  }
  if (!isJsonObject(dist) || dist['type'] !== 'zip') {
    const is = isJsonObject(dist) ? String(dist['type']).slice(0, 20) : 'unknown';
    return { reason: 'dist-type', because: `the type of its archive is ${is}; ZIP archives are mirrored` };
  }
  if (typeof dist['url'] !== 'string' || dist['url'] === '')
    return { reason: 'no-dist', because: 'its archive has no address' };
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
