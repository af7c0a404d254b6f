// Judges archives of mirrored packages by the policy (I26): exactly the archive that would be sent. A stored archive
// waits for the newest document of its upstream for two seconds; then the last known facts count, and also after the
// upstream has removed the package.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { isDevVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import type { Answer } from '../../core/http/answer.ts';
import type { CurrentPolicy } from '../../policy/apply/current-policy.ts';
import { readsGains, type ApplicableRules } from '../../policy/apply/rule-finder.ts';
import type { VersionFacts } from '../../policy/judge/facts.ts';
import { noGains, type Gains } from '../../policy/judge/held-releases.ts';
import { blockOf, judgePackage, type PolicyJudgement } from '../../policy/judge/judge.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { UpstreamUnavailable } from '../upstream/mirror-failure.ts';
import type { AcceptedArchiveStore } from './accepted-archive-store.ts';
import { gainsOfKept, mirroredGains, type Arrivals, type KeptArchive } from './arrivals.ts';
import type { LastLists } from './last-lists.ts';
import { offersOf, storedOffers, type Offers } from './offered-records.ts';
import { listsOf, neededLists, type Needed } from './package-lists.ts';
import { offeredFacts, storedFacts } from './stored-facts.ts';

export interface JudgedVersion {
  readonly version: string;
  readonly normalized: string;
  readonly judgement: PolicyJudgement;
  /** true: its archive was accepted */
  readonly stored: boolean;
}

/** Judges the archive that would be sent by these rules. */
export type JudgeVersion = (found: ApplicableRules, policy: CurrentPolicy) => MaybeAsync<JudgedVersion>;

/** The refusal of the policy; undefined: there is none. */
export type PolicyRefusal = (judge: JudgeVersion) => MaybeAsync<Answer | undefined>;

/** Who gets an archive. */
export interface Admission {
  /** default: everybody sees it */
  readonly isSeen?: () => MaybeAsync<boolean>;
  readonly refuse?: PolicyRefusal;
  /** asked while the upstream is away: true if nothing of the package is seen (I14) */
  readonly isHidden?: () => MaybeAsync<boolean>;
}

/** The package of an archive. */
export interface ArchiveOwner {
  readonly name: PackageName;
  /** of the upstreams of the name */
  readonly ids: readonly string[];
  readonly compiled: Compiled;
}

/** A version in the document of an upstream, whose archive would be fetched. */
export interface FetchableVersion {
  /** as the upstream has it */
  readonly record: JsonObject;
  /** the document with the version, and no other */
  readonly offered: Offers;
  /** Rejects with UpstreamUnavailable. */
  readonly offers: () => Promise<Offers>;
}

interface Known {
  readonly policy: CurrentPolicy;
  readonly compiled: Compiled;
  readonly judged: JudgedVersion;
  readonly untilMs: number;
}

/**
 * What is known beside the facts of a version. `kept`: the archive that is stored here. `isNamed`: a request names its
 * reference; otherwise it means what the upstream offers now.
 */
interface Beside {
  readonly beside: JsonObject;
  readonly offers: Offers;
  readonly stored: boolean;
  readonly kept?: KeptArchive | undefined;
  readonly isNamed?: boolean;
}

const patienceMs = 2000;
/** How long a judgement counts that was made without the upstream. */
const withoutUpstreamMs = 10_000;
const cacheBytes = 4 * 1024 ** 2;

export interface JudgementOptions {
  readonly archiveStore: Pick<AcceptedArchiveStore, 'accepted' | 'record'>;
  readonly lastLists: LastLists;
  readonly arrivals: Arrivals;
  /** epoch milliseconds */
  readonly now: () => number;
}

export class MirroredJudgements {
  readonly #options: JudgementOptions;
  readonly #kept = new ByteCache<Known>(cacheBytes);
  readonly #judging = new SingleFlight<JudgedVersion>();

  constructor(options: JudgementOptions) {
    this.#options = options;
  }

  /** Of an accepted archive. `isNamed`: the request names its reference. */
  ofStored(entry: IndexEntry, owner: ArchiveOwner, isNamed: boolean): JudgeVersion {
    return (found, policy) => {
      const { compiled } = owner;
      const key = `${owner.name} ${entry.version} ${entry.reference} ${isNamed} ${found.key}`;
      const known = this.#kept.get(key);
      if (known?.policy === policy && known.compiled === compiled && this.#options.now() < known.untilMs)
        return known.judged;
      return this.#judging.run(key, () => this.#judgeStored({ key, isNamed }, entry, owner, found, policy), [
        policy,
        compiled,
      ]);
    };
  }

  /** Of an archive that would be fetched. */
  ofOffered({ record, offered, offers }: FetchableVersion, owner: ArchiveOwner): JudgeVersion {
    return async (found, policy) => {
      const { name } = owner;
      await policy.learn(name);
      const needed = neededLists(found.rules);
      const read = needed === 'none' ? offered : await offers().catch(orElse(needed === 'all' ? undefined : offered));
      const beside = await this.#listsOf(owner, read, needed);
      return this.#judged(name, offeredFacts(record), { beside, offers: read, stored: false }, found, policy);
    };
  }

  /** True if a rule for all tokens blocks a version that would be fetched. Its lists are kept for later rules. */
  async isBlocked(version: FetchableVersion, owner: ArchiveOwner): Promise<boolean> {
    const { policy } = owner.compiled.rules.releases;
    const found = policy?.rules.about(owner.name, 'mirrored', undefined);
    if (policy === undefined || found === undefined || found.rules.length === 0) {
      await this.#listsOf(owner, version.offered, 'none');
      return false;
    }
    return blockOf((await this.ofOffered(version, owner)(found, policy)).judgement) !== undefined;
  }

  async #judgeStored(
    { key, isNamed }: { readonly key: string; readonly isNamed: boolean },
    entry: IndexEntry,
    owner: ArchiveOwner,
    found: ApplicableRules,
    policy: CurrentPolicy,
  ): Promise<JudgedVersion> {
    const { name, compiled } = owner;
    const [record, offers] = await Promise.all([
      this.#keptRecord(name, entry),
      offersInTime(entry, owner),
      policy.learn(name),
    ]);
    const beside = await this.#listsOf(owner, offers, neededLists(found.rules));
    const facts = storedFacts(entry, record, offers, beside);
    const { reference, version_normalized: normalized } = entry;
    const kept = record && { normalized, reference, record };
    const judged = await this.#judged(name, facts, { beside, offers, stored: true, kept, isNamed }, found, policy);
    const untilMs = Math.min(
      goodUntil(offers, this.#options.now() + withoutUpstreamMs),
      judged.judgement.changesAtMs ?? Number.POSITIVE_INFINITY,
    );
    this.#kept.set(key, { policy, compiled, judged, untilMs }, key.length + 512);
    return judged;
  }

  async #judged(
    name: PackageName,
    facts: VersionFacts,
    { beside, offers, stored, kept, isNamed }: Beside,
    { rules }: ApplicableRules,
    policy: CurrentPolicy,
  ): Promise<JudgedVersion> {
    const { arrivals, now } = this.#options;
    const releases = (offers.stable ?? offers.own)?.document.versions ?? [];
    const offered = facts.dev ? noGains : await mirroredGains(name, releases, policy, arrivals, now());
    const judge = (gains: Gains): PolicyJudgement =>
      judgePackage(
        rules,
        policy.factsOf(name, 'mirrored', beside, () => gains),
      )(facts, now());
    let judgement = judge(
      kept && !facts.dev && readsGains(rules)
        ? gainsOfKept(offered, releases, await arrivals.read(name), kept)
        : offered,
    );
    if (isNamed === false && blockOf(judgement) === undefined) judgement = judge(offered);
    return { version: facts.version, normalized: facts.normalized, judgement, stored };
  }

  async #listsOf({ name, ids }: ArchiveOwner, offers: Offers, needed: Needed): Promise<JsonObject> {
    const accepted = await this.#options.archiveStore.accepted(name);
    return listsOf({ name, ids, accepted }, offers, this.#options.lastLists, needed);
  }

  async #keptRecord(name: PackageName, entry: IndexEntry): Promise<JsonObject | undefined> {
    const { version, version_normalized: normalized, reference } = entry;
    const kept = await this.#options.archiveStore.record({
      name,
      version,
      normalized: normalized as NormalizedVersion,
      dev: isDevVersion(normalized),
      reference,
    });
    return kept?.record;
  }
}

/** A rule that only tells of lists keeps no archive back while their document cannot be had. */
function orElse(known: Offers | undefined): (error: unknown) => Offers {
  return (error) => {
    if (known === undefined || !(error instanceof UpstreamUnavailable)) throw error;
    return known;
  };
}

/** `soonMs`: when to look again for a document that is missing or old. */
function goodUntil({ own, stable }: Offers, soonMs: number): number {
  const until = [own, stable].flatMap((offer) =>
    offer === undefined ? [] : [offer.staleSinceMs === undefined ? offer.goodUntilMs : soonMs],
  );
  return own === undefined ? Math.min(soonMs, ...until) : Math.min(...until);
}

/** The newest documents, or those on disk if the upstream gives no answer in time. */
async function offersInTime(entry: IndexEntry, { name, ids, compiled }: ArchiveOwner): Promise<Offers> {
  const stability = isDevVersion(entry.version_normalized) ? 'dev' : 'stable';
  const stored = (): Promise<Offers> => storedOffers(name, stability, ids, compiled);
  try {
    return await withDeadline(offersOf(name, stability, ids, compiled), patienceMs, stored);
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return stored();
    throw error;
  }
}
