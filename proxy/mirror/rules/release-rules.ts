// Decides which versions of a mirrored package are offered: by the age of the release, by its licence, and by whether
// the package is abandoned. A document omits refused versions. A version with a warning stays in the document with a
// text that Composer shows. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { nothingPurged, type PurgedLookup } from '../../../build/contract/purged.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';

export type RuleAction = 'refuse' | 'warn';

export interface ReleaseRules {
  /** a version is offered once it is so old; 0: immediately */
  readonly minimumAgeMs: number;
  /** SPDX identifiers, case-insensitive; a `*` at the end matches any characters. undefined: any licence */
  readonly licenses: { readonly allow: readonly string[]; readonly action: RuleAction } | undefined;
  /** undefined: only Composer's own warning about an abandoned package */
  readonly abandoned: RuleAction | undefined;
  /** versions that are never offered, nor fetched, nor served */
  readonly purged: PurgedLookup;
}

export const noRules: ReleaseRules = {
  minimumAgeMs: 0,
  licenses: undefined,
  abandoned: undefined,
  purged: nothingPurged,
};

export interface Refused {
  readonly version: string;
  readonly because: string;
  /** the setting with the rule; `purged`: a tombstone does */
  readonly setting: 'mirroring.licenses' | 'mirroring.abandoned' | 'mirroring.minimum_age' | 'purged';
}

export interface Ruled {
  readonly offered: readonly JsonObject[];
  readonly refused: readonly Refused[];
  /** sentences for the person who installs */
  readonly warnings: readonly string[];
  /** when the oldest of the versions that are too young becomes old enough; undefined: never */
  readonly changesAtMs: number | undefined;
}

/** `records`: full ones, each with a `version`. */
export function applyRules(name: string, records: readonly JsonObject[], rules: ReleaseRules, nowMs: number): Ruled {
  const offered: JsonObject[] = [];
  const refused: Refused[] = [];
  const warned = new Map<string, string[]>();
  let changesAtMs: number | undefined;
  for (const record of records) {
    const version = String(record['version']);
    const age = ageOf(record, rules, nowMs);
    const findings = [
      purgedFinding(name, record, rules),
      licenseFinding(record, rules),
      abandonedFinding(record, rules),
    ].filter((finding) => finding !== undefined);
    const refusal: Omit<Refused, 'version'> | undefined =
      findings.find(({ action }) => action === 'refuse') ??
      (age.because === undefined ? undefined : { because: age.because, setting: 'mirroring.minimum_age' });
    if (refusal === undefined) {
      offered.push(record);
      for (const { because: warning } of findings) warned.set(warning, [...(warned.get(warning) ?? []), version]);
    } else refused.push({ version, because: refusal.because, setting: refusal.setting });
    if (age.readyAtMs !== undefined) changesAtMs = Math.min(changesAtMs ?? Number.POSITIVE_INFINITY, age.readyAtMs);
  }
  return {
    offered,
    refused,
    warnings: [...warned].map(([because, versions]) => `${name}: ${because} (${listed(versions)}).`),
    changesAtMs,
  };
}

/** A time that is missing proves no age. */
function ageOf(
  record: JsonObject,
  { minimumAgeMs }: ReleaseRules,
  nowMs: number,
): { readonly because?: string; readonly readyAtMs?: number } {
  if (minimumAgeMs <= 0) return {};
  const releasedMs = Date.parse(String(record['time']));
  if (Number.isNaN(releasedMs)) return { because: 'its release time is unknown, so its age cannot be checked' };
  const readyAtMs = releasedMs + minimumAgeMs;
  return readyAtMs <= nowMs
    ? {}
    : {
        because: `it is younger than the minimum age, until ${new Date(readyAtMs).toISOString()}`,
        readyAtMs,
      };
}

interface Finding extends Omit<Refused, 'version'> {
  readonly action: RuleAction;
}

function purgedFinding(name: string, { version, dist }: JsonObject, { purged }: ReleaseRules): Finding | undefined {
  if (purged.rows.length === 0) return undefined;
  const reference = isJsonObject(dist) ? String(dist['reference'] ?? '') : '';
  const tombstone = purged.blocks(name, { normalized: normalizeVersion(String(version)) ?? '', reference });
  return tombstone === undefined
    ? undefined
    : {
        action: 'refuse',
        setting: 'purged',
        because: `it was purged on ${tombstone.since.slice(0, 10)} (${tombstone.reason})`,
      };
}

function licenseFinding(record: JsonObject, { licenses }: ReleaseRules): Finding | undefined {
  if (licenses === undefined) return undefined;
  const stated = textsOf(record['license']);
  const isWanted = licenseMatcher(licenses.allow);
  // several licences of a package are a choice (composer.json schema, `license`)
  if (stated.some((expression) => holds(expression, isWanted))) return undefined;
  return {
    action: licenses.action,
    setting: 'mirroring.licenses',
    because: stated.length === 0 ? 'it names no licence' : `its licence ${stated.join(', ')} is not allowed`,
  };
}

function abandonedFinding(record: JsonObject, { abandoned: action }: ReleaseRules): Finding | undefined {
  const { abandoned } = record;
  if (action === undefined || abandoned === undefined || abandoned === null || abandoned === false || abandoned === '')
    return undefined;
  return {
    action,
    setting: 'mirroring.abandoned',
    because: `it is abandoned${typeof abandoned === 'string' ? `; use ${abandoned} instead` : ''}`,
  };
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function licenseMatcher(allowed: readonly string[]): (identifier: string) => boolean {
  const wanted = allowed.map((text) => text.toLowerCase());
  return (identifier) =>
    wanted.some((text) => (text.endsWith('*') ? identifier.startsWith(text.slice(0, -1)) : identifier === text));
}

/** `(A or B) and C`, in the syntax of composer.json: `and` binds stronger. An unreadable part is false. */
function holds(expression: string, isWanted: (identifier: string) => boolean): boolean {
  const tokens =
    expression
      .toLowerCase()
      .match(/[()]|[^\s()]+/g)
      ?.slice(0, 100) ?? [];
  let at = 0;
  const primary = (): boolean => {
    const token = tokens[at++];
    if (token !== '(') return token !== undefined && token !== ')' && isWanted(token);
    const inner = either();
    return tokens[at++] === ')' && inner;
  };
  const both = (): boolean => {
    let all = primary();
    while (tokens[at] === 'and') {
      at += 1;
      all = primary() && all;
    }
    return all;
  };
  function either(): boolean {
    let any = both();
    while (tokens[at] === 'or') {
      at += 1;
      any = both() || any;
    }
    return any;
  }
  return either() && at === tokens.length;
}

function listed(versions: readonly string[]): string {
  return versions.length <= 3
    ? versions.join(', ')
    : `${versions.slice(0, 2).join(', ')} and ${versions.length - 2} more`;
}
