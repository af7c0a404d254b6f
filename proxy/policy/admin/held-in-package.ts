// The releases of one package that a rule holds.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import type { Gained } from '../../../build/review/gained-capabilities.ts';
import type { ArtifactRecord } from '../../artifacts/artifact.ts';
import type { ReleaseFacts } from '../../core/views/view.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import type { PackageOrigin } from '../judge/facts.ts';
import { noGains, type ArrivedRelease, type Gains } from '../judge/held-releases.ts';
import { blockOf, earlier, judgePackage } from '../judge/judge.ts';
import { isHolding } from '../model/weakened-hold.ts';
import { formerReference, type CandidatePackage } from './package-source.ts';

export interface StagedRelease extends ArtifactRecord {
  /** of its composer.json; undefined: it cannot be read here */
  readonly record: JsonObject | undefined;
}

export interface HeldRelease {
  readonly name: PackageName;
  readonly origin: PackageOrigin;
  readonly version: string;
  readonly normalized: string;
  /** of its archive; empty: unknown */
  readonly reference: string;
  /** what views decide by */
  readonly release: ReleaseFacts;
  /** the name of the rule */
  readonly rule: string;
  /** completes a sentence */
  readonly because: string;
  /** epoch milliseconds */
  readonly arrivedMs: number;
  readonly gained: readonly Gained<ArrivedRelease>[];
  /** false: a person rejected it, or another rule blocks it as well; listed while a first approval waits */
  readonly waits: boolean;
  /** who gave the first of two approvals; null: nobody */
  readonly approvedBy: string | null;
  /** it was never published; absent: a rule holds a published release */
  readonly staged?: StagedRelease;
}

/** What a look at a package finds. */
export interface HeldInPackage {
  readonly held: readonly HeldRelease[];
  /** when releases arrived, epoch milliseconds, while a rule compares them */
  readonly arrivals: readonly number[];
  /** until then it finds the same, if nothing changes */
  readonly untilMs: number;
}

/** The releases of a package that a rule holds, newest first, and when this may change by the clock. */
export function heldIn(
  { name, origin, beside, versions, gains }: CandidatePackage,
  policy: CurrentPolicy,
  nowMs: number,
): HeldInPackage {
  const { rules } = policy.rules.about(name, origin, undefined);
  let compared: Gains | undefined;
  const gained = (): Gains => (compared ??= gains());
  const judge = judgePackage(rules, policy.factsOf(name, origin, beside, gained));
  let changesAtMs: number | undefined;
  const held = versions.flatMap((one): readonly HeldRelease[] => {
    const { facts, release, isOffered } = one;
    if (!isOffered) return [];
    const judgement = judge(facts, nowMs);
    changesAtMs = earlier(changesAtMs, judgement.changesAtMs);
    const found = judgement.findings.find(({ exception, rule }) => exception === undefined && isHolding(rule));
    const { version, normalized } = facts;
    const known = found && gained().get(normalized);
    if (found === undefined || known === undefined) return [];
    const { reference, arrivedMs } = known.release;
    const about = { name, origin, version, normalized, reference, release, arrivedMs, gained: known.gained };
    const waits = blockOf(judgement)?.isHeld === true;
    const moved =
      formerReference(versions, one) === undefined ? '' : '; its tag moved: approved, its former archive is sent';
    return [{ ...about, rule: found.rule.name, because: `${found.because}${moved}`, waits, approvedBy: null }];
  });
  const newestFirst = held.toSorted((one, other) =>
    compareNormalized(other.normalized as NormalizedVersion, one.normalized as NormalizedVersion),
  );
  const arrivals = [...(compared ?? noGains).values()].map((one) => one.release.arrivedMs);
  return { held: newestFirst, arrivals, untilMs: changesAtMs ?? Number.POSITIVE_INFINITY };
}
