// Judges archives of mirrored packages by the policy (I26). The newest document of the upstream counts, since it may have new
// advisories. A request for a stored archive waits for it for two seconds; then the last known facts count, and also after
// the upstream has removed the package.

import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { isDevVersion, normalizeVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import type { Answer } from '../../http/answer.ts';
import type { CurrentPolicy } from '../../policy/apply/current-policy.ts';
import type { FoundRules } from '../../policy/apply/rule-finder.ts';
import { factsOfRecord } from '../../policy/judge/facts.ts';
import { judgePackage, type Judgement } from '../../policy/judge/judge.ts';
import type { RequestedVersion } from '../../protocol/mirrored-packages.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { normalized as withNormalized } from '../rules/release-rules.ts';
import { UpstreamUnavailable } from '../upstream/mirror-failure.ts';
import type { UpstreamDocument } from '../upstream/upstream-document.ts';
import type { AcceptedArchiveStore } from './accepted-archive-store.ts';
import { abandonedIn, type LastLists } from './last-lists.ts';
import { offersOf, type Offers } from './offered-records.ts';

export interface JudgedVersion {
  readonly version: string;
  readonly normalized: string;
  readonly judgement: Judgement;
  /** true: its archive was accepted */
  readonly stored: boolean;
}

/** Judges the version of a request by these rules; undefined: nothing is known of it. */
export type JudgeVersion = (found: FoundRules, policy: CurrentPolicy) => MaybeAsync<JudgedVersion | undefined>;

/** Who gets an archive. */
export interface Admission {
  /** default: everybody sees it */
  readonly isSeen?: () => MaybeAsync<boolean>;
  /** The refusal of the policy; undefined: there is none. */
  readonly refuse?: (judge: JudgeVersion) => MaybeAsync<Answer | undefined>;
}

interface Known {
  readonly policy: CurrentPolicy;
  readonly compiled: Compiled;
  readonly judged: JudgedVersion | undefined;
  readonly untilMs: number;
}

interface Asked {
  readonly asked: RequestedVersion;
  readonly ids: readonly string[];
  readonly compiled: Compiled;
  readonly found: FoundRules;
  readonly policy: CurrentPolicy;
}

const patienceMs = 2000;
/** How long a judgement counts that was made without the upstream. */
const withoutUpstreamMs = 10_000;
const cacheBytes = 4 * 1024 ** 2;

/** What is known about the version of a request. */
interface KnownFacts {
  /** undefined: nothing is known of such a version */
  readonly record: JsonObject | undefined;
  readonly beside: JsonObject;
  readonly stored: boolean;
  /** epoch milliseconds */
  readonly goodUntilMs: number;
}

export interface JudgementOptions {
  readonly archiveStore: Pick<AcceptedArchiveStore, 'accepted' | 'record'>;
  readonly lastLists: LastLists;
  /** epoch milliseconds */
  readonly now: () => number;
}

export class MirroredJudgements {
  readonly #options: JudgementOptions;
  readonly #kept = new ByteCache<Known>(cacheBytes);
  readonly #judging = new SingleFlight<JudgedVersion | undefined>();

  constructor(options: JudgementOptions) {
    this.#options = options;
  }

  /** undefined: nothing is known of such a version. */
  of(asked: Asked): MaybeAsync<JudgedVersion | undefined> {
    const { name, labels, reference } = asked.asked;
    const { policy, compiled } = asked;
    const key = `${name} ${labels.join(' ')} ${reference ?? ''} ${asked.found.key}`;
    const known = this.#kept.get(key);
    if (known?.policy === policy && known.compiled === compiled && this.#options.now() < known.untilMs)
      return known.judged;
    return this.#judging.run(key, () => this.#judge(key, asked), [policy, compiled]);
  }

  async #judge(key: string, asked: Asked): Promise<JudgedVersion | undefined> {
    const { policy, compiled, found } = asked;
    const { name } = asked.asked;
    const { record, beside, stored, goodUntilMs } = await this.#factsOf(asked);
    const nowMs = this.#options.now();
    const facts = record === undefined ? undefined : factsOfRecord(withNormalized(record));
    const judgement = facts && judgePackage(found.rules, policy.factsOf(name, 'mirrored', beside))(facts, nowMs);
    const judged = facts && judgement && { version: facts.version, normalized: facts.normalized, judgement, stored };
    const untilMs = Math.min(
      goodUntilMs,
      judgement?.changesAtMs ?? Number.POSITIVE_INFINITY,
      stored ? Number.POSITIVE_INFINITY : nowMs, // its archive may be accepted next
    );
    this.#kept.set(key, { policy, compiled, judged, untilMs }, key.length + 512);
    return judged;
  }

  /** Rejects with UpstreamUnavailable for an archive that is not stored: it could not be fetched either. */
  async #factsOf(asked: Asked): Promise<KnownFacts> {
    const { archiveStore, lastLists, now } = this.#options;
    const { name, labels, reference } = asked.asked;
    const accepted = await archiveStore.accepted(name);
    const entry = accepted.archive(labels, reference);
    const offers = await offersInTime(asked, entry === undefined ? undefined : patienceMs);
    const record = recordOf(asked.asked, offers?.own?.document, await this.#keptRecord(name, entry));
    if (record !== undefined) await asked.policy.learn(name);
    if (offers === undefined || offers.lists === undefined) {
      const { abandoned, ...beside } = await lastLists.read(name);
      const goodUntilMs = offers?.own?.goodUntilMs ?? now() + withoutUpstreamMs;
      const stored = entry !== undefined;
      return { record: record && withAbandoned(record, abandoned), beside, stored, goodUntilMs };
    }
    const { lists: beside, own } = offers;
    if (accepted.size > 0) await lastLists.keep(name, { ...beside, ...abandonedIn(own?.document.versions) });
    return { record, beside, stored: entry !== undefined, goodUntilMs: own?.goodUntilMs ?? now() + withoutUpstreamMs };
  }

  async #keptRecord(name: PackageName, entry: IndexEntry | undefined): Promise<JsonObject | undefined> {
    if (entry === undefined) return undefined;
    const { version_normalized: normalized, reference } = entry;
    const kept = await this.#options.archiveStore.record({
      name,
      normalized: normalized as NormalizedVersion,
      dev: isDevVersion(normalized),
      reference,
    });
    return kept?.record;
  }
}

/** `patience`: milliseconds; undefined: as long as the upstream may take. undefined: the upstream gave no answer in time. */
async function offersInTime(asked: Asked, patience: number | undefined): Promise<Offers | undefined> {
  const {
    asked: { name, labels },
    ids,
    compiled,
  } = asked;
  const stability = labels.some((label) => isDevVersion(normalizeVersion(label) ?? label)) ? 'dev' : 'stable';
  const offers = offersOf(name, stability, ids, compiled);
  if (patience === undefined) return offers;
  try {
    return await withDeadline<Offers | undefined>(offers, patience, () => undefined);
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return undefined;
    throw error;
  }
}

/**
 * The record of exactly this archive counts; else what the upstream says of the version. An upstream may mark a package as
 * abandoned later, and cannot change anything else of accepted bytes.
 */
function recordOf(
  { labels }: RequestedVersion,
  document: UpstreamDocument | undefined,
  kept: JsonObject | undefined,
): JsonObject | undefined {
  const offered = document?.versions.find(
    ({ version }) =>
      typeof version === 'string' && (labels.includes(version) || labels.includes(normalizeVersion(version) ?? '')),
  );
  return kept === undefined ? offered : withAbandoned(kept, offered?.['abandoned']);
}

function withAbandoned(record: JsonObject, abandoned: JsonValue | undefined): JsonObject {
  return abandoned === undefined ? record : { ...record, abandoned };
}
