// Which releases of a package are held for what they can newly do, until time or a person decides. Pure.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import { isDevVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import { capabilitiesOf, decisiveKinds, describeCapability } from '../../../build/review/capabilities.ts';
import {
  gainedByRelease,
  type Gained,
  type Release,
  type ReleaseGains,
} from '../../../build/review/gained-capabilities.ts';
import { shortText } from '../../../build/shared/text/short-text.ts';
import type { RuleOf } from '../model/policy-document.ts';

export interface ArrivedRelease extends Release {
  /** of its archive; empty: unknown */
  readonly reference: string;
}

/** The releases of one package, by normalized version; undefined: it keeps nothing that arrived while somebody looked. */
export type Gains = ReadonlyMap<string, ReleaseGains<ArrivedRelease> | undefined>;

export const noGains: Gains = new Map();

/** What a person decided about a release. The last one about it counts. */
export interface ReviewDecision {
  readonly package: string;
  /** normalized */
  readonly version: string;
  /** of the archive that the person saw: another archive is undecided */
  readonly reference: string;
  readonly decision: 'approved' | 'rejected';
  /** who */
  readonly by: string;
  readonly reason: string;
  /** ISO 8601 */
  readonly at: string;
}

/**
 * `records`: all releases of a package, in full, each with `version_normalized`; dev versions do not count. `arrivedMs`:
 * when this registry had the release first; 0: before anybody looked. `firstMs`: when it had the package first;
 * default: with the first of these.
 */
export function gainsOf(
  records: readonly JsonObject[],
  arrivedMs: (record: JsonObject) => number,
  firstMs?: number,
): Gains {
  const releases = records.flatMap((record) => {
    const normalized = String(record['version_normalized']) as NormalizedVersion;
    if (isDevVersion(normalized)) return [];
    const version = String(record['version']);
    const capabilities = capabilitiesOf(record);
    return { version, normalized, capabilities, arrivedMs: arrivedMs(record), reference: referenceOf(record) };
  });
  const gains = new Map<string, ReleaseGains<ArrivedRelease> | undefined>();
  const beganMs = firstMs ?? releases.reduce((least, one) => Math.min(least, one.arrivedMs), Infinity);
  const bursts = burstsIn(releases, beganMs);
  for (const [normalized, { release, gained }] of gainedByRelease(releases, beganMs)) {
    const since = [...gained.filter(({ broughtBy }) => broughtBy.arrivedMs > 0), ...(bursts.get(release) ?? [])];
    gains.set(normalized, since.length === 0 ? undefined : { release, gained: since });
  }
  return gains;
}

/** Of one package: monorepos publish one release of each of their many packages at once, and a few branches of it. */
const burst = { releases: 10, ms: 600_000 } as const;

/** The releases that arrived together with many others, after the first ones of the package. One decision is about all. */
function burstsIn(releases: readonly ArrivedRelease[], firstMs: number) {
  const found = new Map<ArrivedRelease | undefined, readonly Gained<ArrivedRelease>[]>();
  const late = releases
    .filter(({ arrivedMs }) => arrivedMs > firstMs + burst.ms)
    .toSorted((one, other) => one.arrivedMs - other.arrivedMs);
  let from = 0;
  for (const [at, { arrivedMs }] of late.entries()) {
    while ((late[from]?.arrivedMs ?? 0) < arrivedMs - burst.ms) from += 1;
    const first = late[from];
    if (at - from < burst.releases || first === undefined) continue;
    const capability = { kind: 'burst', detail: String(burst.releases) } as const;
    const gained = found.get(first) ?? [{ capability, broughtBy: first, before: undefined }];
    for (const one of late.slice(found.has(late[at - 1]) ? at : from, at + 1)) found.set(one, gained);
  }
  return found;
}

export function referenceOf({ dist }: JsonObject): string {
  return isJsonObject(dist) && typeof dist['reference'] === 'string' ? dist['reference'] : '';
}

/** Our own clock wrote the `published-time` of a package that is published here. */
export function arrivalOfPublished(record: JsonObject): number {
  return Date.parse(String(record['published-time'])) || 0;
}

export interface Hold {
  /** completes a sentence: `it runs src/boot.php in every request, unlike 1.0.0; …` */
  readonly because: string;
  /** epoch milliseconds; undefined: until a person decides */
  readonly untilMs: number | undefined;
  /** true: a person has decided */
  readonly isRejected: boolean;
}

/** Why a release is held now; undefined: it is not. Of several capabilities, the one that is held longest counts. */
export function holdOf(
  { kinds = decisiveKinds, days, since }: Pick<RuleOf<'capability'>, 'kinds' | 'days' | 'since'>,
  gains: Gains,
  decisions: readonly ReviewDecision[],
  normalized: string,
  nowMs: number,
): Hold | undefined {
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  let longest:
    | { readonly endMs: number; readonly one: Gained<ArrivedRelease>; readonly rejected: string | undefined }
    | undefined;
  for (const one of gains.get(normalized)?.gained ?? []) {
    const { capability, broughtBy } = one;
    if (!kinds.includes(capability.kind) || broughtBy.arrivedMs < sinceMs) continue;
    const decided = decisionAbout(one, gains, decisions, normalized);
    if (decided?.decision === 'approved') continue;
    const rejected = decided && `${decided.by} rejected it: ${shortText(decided.reason, 200) ?? ''}`;
    const endMs = decided || days === undefined ? Infinity : broughtBy.arrivedMs + days * 86_400_000;
    if (endMs > nowMs && !(longest && (longest.rejected || longest.endMs >= endMs))) longest = { endMs, one, rejected };
  }
  if (longest === undefined) return undefined;
  const { endMs, one, rejected } = longest;
  const untilMs = endMs === Infinity ? undefined : endMs;
  const unlike = one.before === undefined ? '' : `, unlike ${one.before.version}`;
  const end = untilMs === undefined ? 'somebody approves it' : new Date(untilMs).toISOString();
  return {
    because: `${describeCapability(one.capability)}${unlike}; ${rejected ?? `held until ${end}`}`,
    untilMs,
    isRejected: rejected !== undefined,
  };
}

/** The last decision about a release that keeps this capability, and is not above this version. */
function decisionAbout(
  one: Gained<ArrivedRelease>,
  gains: Gains,
  decisions: readonly ReviewDecision[],
  normalized: string,
): ReviewDecision | undefined {
  return decisions.findLast(({ version, reference }) => {
    const decided = gains.get(version);
    return (
      decided?.release.reference === reference &&
      decided.gained.includes(one) &&
      compareNormalized(version as NormalizedVersion, normalized as NormalizedVersion) <= 0
    );
  });
}
