// The releases that the policy holds now, own and mirrored ones, of all packages. It reads what is stored here. A package
// whose files, rules and decisions are unchanged is not read again, so a look at thousands of packages costs little.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import type { ArtifactRecord } from '../../artifacts/artifact.ts';
import type { Artifacts } from '../../artifacts/artifacts.ts';
import { endOfStaged } from '../../artifacts/staged-artifacts.ts';
import { roleRefusal } from '../../auth/caller.ts';
import { personRights } from '../../auth/user.ts';
import { readUser } from '../../auth/user-records.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import { isHolding } from '../model/weakened-hold.ts';
import { firstApprovals, isAbout, type ReviewDecision } from '../records/review-decisions.ts';
import type { VersionRule } from '../model/policy-document.ts';
import { withBursts } from './bursts.ts';
import { heldIn, type HeldInPackage, type HeldRelease, type StagedRelease } from './held-in-package.ts';
import type { PackageSource } from './package-source.ts';
import { undefinedIfUnusable, type StandingParts } from './package-standing.ts';

export interface HeldList {
  readonly releases: readonly HeldRelease[];
  /** the packages that were looked at: a damaged one is not among them */
  readonly examined: ReadonlySet<PackageName>;
}

interface Examined extends HeldInPackage {
  readonly name: PackageName;
  readonly stamp: string | undefined;
  readonly policy: CurrentPolicy;
}

export interface HeldParts extends StandingParts {
  readonly store: Pick<StateStore, 'get' | 'range'>;
  readonly artifactsOf: (actor: Actor) => Pick<Artifacts, 'staged'>;
  /** What the composer.json of a staged upload says; undefined: it cannot be read here. */
  readonly stagedRecord: (staged: ArtifactRecord) => Promise<JsonObject | undefined>;
}

/**
 * Every call looks again. Others get their turn in between. `only`: default: all packages; staged releases, which come
 * last, are always looked at.
 */
export function createHeldList(parts: HeldParts) {
  const known = new Map<string, Examined>();
  const epochs = new Map<PackageSource, number>();
  return async (
    nowMs: number,
    { only }: { readonly only?: readonly PackageName[] | undefined } = {},
  ): Promise<HeldList> => {
    const policy = await parts.reader.current(nowMs);
    const releases: HeldRelease[] = [];
    const examined = new Set<PackageName>();
    const firsts = await countedFirsts(parts);
    const turn = createTurns();
    const isHeldBy = ({ given }: { readonly given: VersionRule }): boolean => isHolding(given);
    const holds = policy.compiled.rules.some(isHeldBy);
    if (!holds) known.clear();
    for (const source of holds ? parts.packages : []) {
      const epoch = await source.epoch?.(nowMs);
      const isSettled = epoch !== undefined && epochs.get(source) === epoch;
      for (const name of only ?? (await source.names())) {
        if (!policy.rules.about(name, source.origin, undefined).rules.some(isHeldBy)) continue;
        await turn();
        const found = await examine(known, { source, name, isSettled }, policy, nowMs).catch(undefinedIfUnusable);
        if (found === undefined) continue;
        examined.add(name);
        releases.push(...found.held.filter((held) => held.waits || firsts.some((one) => isAbout(one, held))));
      }
      if (epoch !== undefined && only === undefined) epochs.set(source, epoch);
    }
    const staged = await stagedReleases(parts, () => true, nowMs);
    const arrived = [...known.values(), ...staged.map(({ name, arrivedMs }) => ({ name, arrivals: [arrivedMs] }))];
    return { releases: withBursts(withFirsts([...releases, ...staged], firsts), arrived), examined };
  };
}

const nothing: HeldInPackage = { held: [], arrivals: [], untilMs: Number.POSITIVE_INFINITY };

async function examine(
  known: Map<string, Examined>,
  {
    source,
    name,
    isSettled,
  }: { readonly source: PackageSource; readonly name: PackageName; readonly isSettled: boolean },
  policy: CurrentPolicy,
  nowMs: number,
): Promise<HeldInPackage> {
  const key = `${source.origin} ${name}`;
  const last = known.get(key);
  // before the files, so that a later change makes the result outdated
  const stamp = last !== undefined && isSettled ? last.stamp : await source.stamp(name);
  if (last?.policy === policy && last.stamp === stamp && nowMs < last.untilMs) return last;
  const found = await source.read(name);
  const looked = found === undefined ? nothing : heldIn(found, policy, nowMs);
  known.set(key, { name, stamp, policy, ...looked });
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
  return Promise.all(
    staged.map(async (one) => {
      const record = await parts.stagedRecord(one);
      return waiting({ ...one, record }, await gainedByStaged(parts, { ...one, record }, policy, nowMs), nowMs);
    }),
  );
}

/** What the upload adds to the last release below it that clients get: a held one brought nothing to them. */
async function gainedByStaged(
  { packages }: HeldParts,
  { name, version, version_normalized: normalized, reference, record }: StagedRelease,
  policy: CurrentPolicy,
  nowMs: number,
): Promise<HeldRelease['gained']> {
  const own = packages.find(({ origin }) => origin === 'private');
  const known = await own?.read(name as PackageName).catch(undefinedIfUnusable);
  const label = { version, version_normalized: normalized, 'published-time': new Date(nowMs).toISOString() };
  const gains = record && known?.gains({ ...record, ...label, dist: { reference }, source: null });
  const hidden = new Set(known === undefined ? [] : heldIn(known, policy, nowMs).held.map((one) => one.normalized));
  hidden.add(normalized);
  return (gains?.get(normalized)?.gained ?? []).filter(({ broughtBy }) => hidden.has(broughtBy.normalized));
}

function waiting(staged: StagedRelease, gained: HeldRelease['gained'], nowMs: number): HeldRelease {
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
  return withFirsts(releases, await countedFirsts(parts));
}

function withFirsts(releases: readonly HeldRelease[], firsts: readonly ReviewDecision[]): readonly HeldRelease[] {
  return releases.map((held) => {
    const first = firsts.find((one) => isAbout(one, held));
    return first === undefined ? held : approvedOnce(held, first.by);
  });
}

/** The setting may have changed since somebody approved first, and so may the rights of that person. */
async function countedFirsts(parts: HeldParts): Promise<readonly ReviewDecision[]> {
  const firsts = (await hasFourEyes(parts)) ? await firstApprovals(parts.store) : [];
  const counts = await Promise.all(firsts.map(({ by }) => mayDecide(parts.store, by)));
  return firsts.filter((_, at) => counts[at]);
}

/** True for accounts of the host, and for people who may decide now. */
export async function mayDecide(store: Pick<StateStore, 'get'>, actor: string): Promise<boolean> {
  const id = /^user:(\w+)$/.exec(actor)?.[1];
  if (id === undefined) return true;
  const record = (await readUser(store, id))?.record;
  return (
    record?.status === 'active' &&
    roleRefusal('decideHeldRelease', { ...personRights(record), ...record }) === undefined
  );
}

export async function hasFourEyes({ sources }: Pick<StandingParts, 'sources'>): Promise<boolean> {
  return (await sources.settings.current())['publishing.four_eyes'];
}

export function approvedOnce(held: HeldRelease, by: string): HeldRelease {
  return { ...held, approvedBy: by, because: `${held.because}; ${by} approved it, and one more person has to approve` };
}
