// The releases that the policy holds now, own and mirrored ones, of all packages. It reads what is stored here. A package
// whose files, rules and decisions are unchanged is not read again, so a look at thousands of packages costs little.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import type { Gained } from '../../../build/review/gained-capabilities.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import type { ArtifactRecord } from '../../artifacts/artifact.ts';
import type { Artifacts } from '../../artifacts/artifacts.ts';
import { endOfStaged } from '../../artifacts/staged-artifacts.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { ReleaseFacts } from '../../core/views/view.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import type { PackageOrigin } from '../judge/facts.ts';
import { noGains, type ArrivedRelease, type Gains, type ReviewDecision } from '../judge/held-releases.ts';
import { blockOf, earlier, judgePackage } from '../judge/judge.ts';
import { isHolding } from '../model/weakened-hold.ts';
import { firstApprovals, isAbout } from '../records/review-decisions.ts';
import { createBursts } from './bursts.ts';
import type { CandidatePackage, PackageSource } from './package-source.ts';
import type { StandingParts } from './package-standing.ts';

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
  readonly staged?: ArtifactRecord;
}

export interface HeldList {
  readonly releases: readonly HeldRelease[];
  /** the packages that were looked at: a damaged one is not among them */
  readonly examined: ReadonlySet<PackageName>;
}

interface Examined {
  readonly stamp: string | undefined;
  readonly policy: CurrentPolicy;
  readonly untilMs: number;
  readonly held: readonly HeldRelease[];
  /** of all its releases, while a rule compares them */
  readonly arrivals: readonly number[];
}

export interface HeldParts extends StandingParts {
  readonly store: Pick<StateStore, 'range'>;
  readonly artifactsOf: (actor: Actor) => Pick<Artifacts, 'staged'>;
  /** What the composer.json of a staged upload says; undefined: it cannot be read here. */
  readonly stagedRecord: (staged: ArtifactRecord) => Promise<JsonObject | undefined>;
}

/** Every call looks again. Others get their turn in between. Staged releases come last. */
export function createHeldList(parts: HeldParts) {
  const { reader, packages } = parts;
  const known = new Map<string, Examined>();
  return async (nowMs: number, isAsked = ({ waits }: HeldRelease): boolean => waits): Promise<HeldList> => {
    const policy = await reader.current(nowMs);
    const releases: HeldRelease[] = [];
    const bursts = createBursts();
    const examined = new Set<PackageName>();
    const firsts = await countedFirsts(parts);
    if (!policy.compiled.rules.some(({ given }) => isHolding(given))) known.clear();
    else {
      const turn = createTurns();
      for (const source of packages)
        for (const name of await source.names()) {
          if (!policy.rules.about(name, source.origin, undefined).rules.some(({ given }) => isHolding(given))) continue;
          await turn();
          const found = await examine(known, source, name, policy, nowMs).catch(undefinedIfUnusable);
          if (found === undefined) continue;
          examined.add(name);
          bursts.note(name, found.arrivals);
          releases.push(...found.held.filter((held) => isAsked(held) || firsts.some((one) => isAbout(one, held))));
        }
    }
    const staged = await stagedReleases(parts, () => true, nowMs);
    for (const { name, arrivedMs } of staged) bursts.note(name, [arrivedMs]);
    const all = await withApprovals(parts, [...releases, ...staged]);
    return { releases: all.map((held) => bursts.shownIn(held)), examined };
  };
}

async function examine(
  known: Map<string, Examined>,
  source: PackageSource,
  name: PackageName,
  policy: CurrentPolicy,
  nowMs: number,
): Promise<Omit<Examined, 'stamp' | 'policy'>> {
  const key = `${source.origin} ${name}`;
  // before the files, so that a later change makes the result outdated
  const stamp = await source.stamp(name);
  const last = known.get(key);
  if (last?.policy === policy && last.stamp === stamp && nowMs < last.untilMs) return last;
  const found = await source.read(name);
  const looked = found === undefined ? nothing : heldIn(found, policy, nowMs);
  known.set(key, { stamp, policy, ...looked });
  return looked;
}

/** Stands in the place of a rule: the setting. */
export const stagedRule = 'publishing.staged';

/** So long before the end of a staged upload people are notified again. */
const noticeMs = 3 * 86_400_000;

export function endsSoon(staged: ArtifactRecord, nowMs: number): boolean {
  return endOfStaged(staged) - nowMs <= noticeMs;
}

/** The staged uploads that are asked for, as the list has them. */
export async function stagedReleases(
  parts: HeldParts,
  isAsked: (staged: ArtifactRecord) => boolean,
  nowMs: number,
): Promise<readonly HeldRelease[]> {
  const staged = (await parts.artifactsOf('system:staging').staged()).filter(isAsked);
  if (staged.length === 0) return [];
  const policy = await parts.reader.current(nowMs);
  return Promise.all(staged.map(async (one) => waiting(one, await gainedByStaged(parts, one, policy, nowMs), nowMs)));
}

/** What the upload adds to the last release below it that clients get: a held one brought nothing to them. */
async function gainedByStaged(
  { packages, stagedRecord }: HeldParts,
  staged: ArtifactRecord,
  policy: CurrentPolicy,
  nowMs: number,
): Promise<HeldRelease['gained']> {
  const { name, version, version_normalized: normalized, reference } = staged;
  const own = packages.find(({ origin }) => origin === 'private');
  const [record, known] = await Promise.all([
    stagedRecord(staged),
    own?.read(name as PackageName).catch(undefinedIfUnusable),
  ]);
  const label = { version, version_normalized: normalized, 'published-time': new Date(nowMs).toISOString() };
  const gains = record && known?.gains({ ...record, ...label, dist: { reference }, source: null });
  const hidden = new Set(known === undefined ? [] : heldIn(known, policy, nowMs).held.map((one) => one.normalized));
  hidden.add(normalized);
  return (gains?.get(normalized)?.gained ?? []).filter(({ broughtBy }) => hidden.has(broughtBy.normalized));
}

function waiting(staged: ArtifactRecord, gained: HeldRelease['gained'], nowMs: number): HeldRelease {
  const { version, version_normalized: normalized, reference, created_by: by } = staged;
  const arrivedMs = Date.parse(staged.created_at);
  const end = `${endsSoon(staged, nowMs) ? 'soon, ' : ''}on ${new Date(endOfStaged(staged)).toISOString()}`;
  return {
    name: staged.name as PackageName,
    version,
    normalized,
    reference,
    arrivedMs,
    staged,
    origin: 'private',
    release: { version_normalized: normalized, releasedMs: arrivedMs },
    rule: stagedRule,
    because: `${by} uploaded it, and no client sees it until a person approves it; otherwise it is removed ${end}`,
    gained,
    waits: true,
    approvedBy: null,
  };
}

/** With the first of two approvals. */
export async function withApprovals(
  parts: HeldParts,
  releases: readonly HeldRelease[],
): Promise<readonly HeldRelease[]> {
  const firsts = await countedFirsts(parts);
  return releases.map((held) => {
    const first = firsts.find((one) => isAbout(one, held));
    return first === undefined ? held : approvedOnce(held, first.by);
  });
}

/** The setting may have changed since somebody approved first. */
async function countedFirsts(parts: HeldParts): Promise<readonly ReviewDecision[]> {
  return (await hasFourEyes(parts)) ? firstApprovals(parts.store) : [];
}

export async function hasFourEyes({ sources }: Pick<StandingParts, 'sources'>): Promise<boolean> {
  return (await sources.settings.current())['publishing.four_eyes'];
}

export function approvedOnce(held: HeldRelease, by: string): HeldRelease {
  return { ...held, approvedBy: by, because: `${held.because}; ${by} approved it, and one more person has to approve` };
}

function undefinedIfUnusable(error: unknown): undefined {
  if (!(error instanceof UnusableFile)) throw error;
}

const nothing: Omit<Examined, 'stamp' | 'policy'> = { held: [], arrivals: [], untilMs: Number.POSITIVE_INFINITY };

/** The releases of a package that a rule holds, newest first, and when this may change by the clock. */
export function heldIn(
  { name, origin, beside, versions, gains }: CandidatePackage,
  policy: CurrentPolicy,
  nowMs: number,
): typeof nothing {
  const { rules } = policy.rules.about(name, origin, undefined);
  let compared: Gains | undefined;
  const gained = (): Gains => (compared ??= gains());
  const judge = judgePackage(rules, policy.factsOf(name, origin, beside, gained));
  let changesAtMs: number | undefined;
  const held = versions.flatMap(({ facts, release, isOffered }): readonly HeldRelease[] => {
    if (!isOffered) return [];
    const judgement = judge(facts, nowMs);
    changesAtMs = earlier(changesAtMs, judgement.changesAtMs);
    const found = judgement.findings.find((one) => one.exception === undefined && isHolding(one.rule));
    const { version, normalized } = facts;
    const known = found && gained().get(normalized);
    if (found === undefined || known === undefined) return [];
    const { reference, arrivedMs } = known.release;
    const about = { name, origin, version, normalized, reference, release, arrivedMs, gained: known.gained };
    const waits = blockOf(judgement)?.isHeld === true;
    return [{ ...about, rule: found.rule.name, because: found.because, waits, approvedBy: null }];
  });
  const newestFirst = held.toSorted((one, other) =>
    compareNormalized(other.normalized as NormalizedVersion, one.normalized as NormalizedVersion),
  );
  const arrivals = [...(compared ?? noGains).values()].map((one) => one.release.arrivedMs);
  return { held: newestFirst, arrivals, untilMs: changesAtMs ?? Number.POSITIVE_INFINITY };
}
