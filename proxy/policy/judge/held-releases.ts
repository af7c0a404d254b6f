// Which releases of a package are held for what they can newly do, until time or a person decides. Pure.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import { isDevVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import {
  capabilitiesOf,
  capabilityKey,
  decisiveKinds,
  describeCapability,
} from '../../../build/review/capabilities.ts';
import {
  gainedByRelease,
  type Gained,
  type Release,
  type ReleaseGains,
} from '../../../build/review/gained-capabilities.ts';
import { groupBy } from '../../../build/shared/collections/group-by.ts';
import { digestOf } from '../../../build/shared/text/digest-of.ts';
import { shortText } from '../../../build/shared/text/short-text.ts';
import type { RuleOf } from '../model/policy-document.ts';
import type { ReviewDecision } from '../records/review-decisions.ts';

export interface ArrivedRelease extends Release {
  /** of its archive; empty: unknown */
  readonly reference: string;
  /** earlier decisions are about another record; 0: an archive of ours never gets another one */
  readonly changedMs: number;
}

/** The releases of one package, by normalized version, with what each gained while somebody looked. */
export type Gains = ReadonlyMap<string, ReleaseGains<ArrivedRelease>>;

export const noGains: Gains = new Map();

/**
 * `records`: all releases of a package, in full, each with `version_normalized`; dev versions do not count. `arrivedMs`:
 * when this registry had the release first; 0: before anybody looked. `firstMs`: when it had the package first,
 * of a mirrored package; default: with the first of these. `hadOf`: as of a release that may have moved. `former`: what
 * was withdrawn; a release that is there under the same version counts instead.
 */
export function gainsOf(
  records: readonly JsonObject[],
  arrivedMs: (record: JsonObject) => number,
  firstMs?: number,
  hadOf: (record: JsonObject) => Release['had'] = () => undefined,
  former: readonly ArrivedRelease[] = [],
): Gains {
  const present = releasesIn(records).map(({ release, of }): ArrivedRelease => {
    const atMs = arrivedMs(of);
    return { ...release, arrivedMs: atMs, changedMs: firstMs === undefined ? 0 : atMs, had: hadOf(of) };
  });
  const taken = new Set(present.map(({ normalized }) => normalized));
  const releases = [...present, ...former.filter(({ normalized }) => !taken.has(normalized))];
  const gains = new Map<string, ReleaseGains<ArrivedRelease>>();
  const beganMs = firstMs ?? releases.reduce((least, one) => Math.min(least, one.arrivedMs), Infinity);
  for (const [normalized, { release, gained }] of gainedByRelease(releases, beganMs)) {
    const since = gained.filter(({ broughtBy }) => broughtBy.arrivedMs > 0);
    gains.set(normalized, { release: { ...release, capabilities: [] }, gained: since });
  }
  return gains;
}

/** Each release of these records. Several records of one version, such as `1.0.2` and `v1.0.2`, are one release. */
export function releasesIn(records: readonly JsonObject[]) {
  const releases = records.filter(({ version_normalized: version }) => !isDevVersion(String(version)));
  return [...groupBy(releases, (record) => String(record['version_normalized']) as NormalizedVersion)].flatMap(
    ([normalized, [of, ...more]]) => {
      if (of === undefined) return [];
      const all = [of, ...more];
      const references = [...new Set(all.map(referenceOf))].toSorted();
      const capabilities = new Map(all.flatMap(capabilitiesOf).map((one) => [capabilityKey(one), one]));
      const reference = references.length === 1 ? String(references[0]) : digestOf(references.join());
      return {
        of,
        release: { version: String(of['version']), normalized, reference, capabilities: [...capabilities.values()] },
      };
    },
  );
}

/** An archive without a reference is known by its checksum. */
function referenceOf({ dist }: JsonObject): string {
  return isJsonObject(dist) ? String(dist['reference'] || dist['shasum'] || '') : '';
}

export interface Hold {
  /** completes a sentence: `it runs src/boot.php in every request, unlike 1.0.0; …` */
  readonly because: string;
  /** epoch milliseconds; undefined: until a person decides */
  readonly untilMs: number | undefined;
  /** true: a person has decided */
  readonly isRejected: boolean;
}

/**
 * Why a release is held now; undefined: it is not. Of several capabilities, the one that is held longest counts. What a
 * person decided about this archive counts for every rule.
 */
export function holdOf(
  rule: Pick<RuleOf<'capability'>, 'kinds' | 'days' | 'since'>,
  gains: Gains,
  decisions: readonly ReviewDecision[],
  normalized: string,
  nowMs: number,
): Hold | undefined {
  const about = gains.get(normalized);
  const own = about && decisions.findLast((one) => isAbout(one, about.release));
  if (about === undefined || own?.decision === 'approved') return undefined;
  let longest: LongHeld | undefined;
  for (const one of about.gained) {
    const decided = own ?? (isOf(rule, one) ? decisionAbout(one, gains, decisions, normalized) : undefined);
    if (decided?.decision === 'approved' || !(own || isOf(rule, one))) continue;
    const endMs = decided || rule.days === undefined ? Infinity : one.broughtBy.arrivedMs + rule.days * 86_400_000;
    if (endMs > nowMs && !(longest && (longest.rejected || longest.endMs >= endMs)))
      longest = { endMs, one, rejected: decided && rejectionOf(decided) };
  }
  if (longest !== undefined) return describeHold(longest);
  return own && { because: rejectionOf(own), untilMs: undefined, isRejected: true };
}

/** What people decided about an archive, or about one below whose capability it keeps; about itself first. */
export function decisionsOn(
  { normalized, reference }: Pick<ArrivedRelease, 'normalized' | 'reference'>,
  gains: Gains,
  decisions: readonly ReviewDecision[],
): readonly ReviewDecision[] {
  const about = gains.get(normalized);
  const isOwn = (one: ReviewDecision): boolean =>
    (about !== undefined && isAbout(one, about.release)) ||
    (about?.release.reference !== reference && one.version === normalized && one.reference === reference);
  const kept = about?.gained.map((one) => decisionAbout(one, gains, decisions, normalized)) ?? [];
  return [decisions.findLast(isOwn), ...kept].filter((one) => one !== undefined);
}

interface LongHeld {
  readonly endMs: number;
  readonly one: Gained<ArrivedRelease>;
  readonly rejected: string | undefined;
}

function describeHold({ endMs, one, rejected }: LongHeld): Hold {
  const untilMs = endMs === Infinity ? undefined : endMs;
  const unlike = one.before === undefined ? '' : `, unlike ${one.before.version}`;
  const end = untilMs === undefined ? 'somebody approves it' : new Date(untilMs).toISOString();
  return {
    because: `${describeCapability(one.capability)}${unlike}; ${rejected ?? `held until ${end}`}`,
    untilMs,
    isRejected: rejected !== undefined,
  };
}

/** True if the rule looks at this capability. */
function isOf(
  { kinds = decisiveKinds, since }: Pick<RuleOf<'capability'>, 'kinds' | 'since'>,
  { capability, broughtBy }: Gained<ArrivedRelease>,
): boolean {
  return kinds.includes(capability.kind) && broughtBy.arrivedMs >= (since === undefined ? 0 : Date.parse(since));
}

/** Everybody who took part. */
export function decidersOf({ by, first_by: first }: Pick<ReviewDecision, 'by' | 'first_by'>): string {
  return first === undefined ? by : `${first} and ${by}`;
}

/** Clients read it, so it names nobody. */
export function rejectionOf({ reason }: ReviewDecision): string {
  return `a person rejected it: ${shortText(reason, 200) ?? ''}`;
}

/** True if the person saw this archive, with this record. A rejected archive stays rejected with another record. */
function isAbout({ version, reference, at, decision }: ReviewDecision, release: ArrivedRelease): boolean {
  const isOf = version === release.normalized && reference === release.reference;
  return isOf && (decision === 'rejected' || Date.parse(at) >= release.changedMs);
}

/** The decision about the nearest release that keeps this capability, and is not above this version. */
function decisionAbout(
  one: Gained<ArrivedRelease>,
  gains: Gains,
  decisions: readonly ReviewDecision[],
  normalized: string,
): ReviewDecision | undefined {
  const order = (a: string, b: string): number => compareNormalized(a as NormalizedVersion, b as NormalizedVersion);
  const isOf = (decision: ReviewDecision): boolean => {
    const decided = gains.get(decision.version);
    return decided !== undefined && isAbout(decision, decided.release) && decided.gained.includes(one);
  };
  return decisions
    .filter((decision) => isOf(decision) && order(decision.version, normalized) <= 0)
    .toSorted((a, b) => order(a.version, b.version))
    .at(-1);
}
