// Judges archives of packages that are published here.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { providerPath } from '../../../build/contract/paths.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { recordsOf } from '../../core/tree/document-releases.ts';
import type { TreeFiles } from '../../core/tree/tree-files.ts';
import { noGains } from '../judge/held-releases.ts';
import { judgePackage, type PolicyJudgement, type PackageJudge } from '../judge/judge.ts';
import type { CurrentPolicy } from './current-policy.ts';
import { readPublishedGains } from './published-gains.ts';
import { factsOfArchive, recordFacts, type RecordFacts } from './record-facts.ts';
import type { ApplicableRules } from './rule-finder.ts';

interface CachedPackageJudge {
  readonly policy: CurrentPolicy;
  readonly epoch: number;
  readonly judge: PackageJudge;
  readonly facts: RecordFacts;
}

interface Judged {
  readonly policy: CurrentPolicy;
  readonly found: ApplicableRules;
  readonly epoch: number;
  readonly judgement: PolicyJudgement;
  readonly untilMs: number;
}

export class PublishedJudgements {
  readonly #files: Pick<TreeFiles, 'document' | 'archives'>;
  readonly #kept: ByteCache<CachedPackageJudge>;
  readonly #reading = new SingleFlight<CachedPackageJudge>();
  readonly #judged = new WeakMap<IndexEntry, Judged>();

  constructor(files: Pick<TreeFiles, 'document' | 'archives'>, cacheBytes: number) {
    this.#files = files;
    this.#kept = new ByteCache(cacheBytes);
  }

  /** The judgement of the rules on this archive. */
  of(
    name: PackageName,
    entry: IndexEntry,
    found: ApplicableRules,
    policy: CurrentPolicy,
    moment: { readonly nowMs: number; readonly epoch: number },
  ): MaybeAsync<PolicyJudgement> {
    const { nowMs, epoch } = moment;
    const last = this.#judged.get(entry);
    if (last?.policy === policy && last.found === found && last.epoch === epoch && nowMs < last.untilMs)
      return last.judgement;
    return andThen(this.#known(name, found, policy, epoch), (known) => {
      const judgement = judge(known, entry, nowMs);
      const untilMs = judgement.changesAtMs ?? Number.POSITIVE_INFINITY;
      this.#judged.set(entry, { policy, found, epoch, judgement, untilMs });
      return judgement;
    });
  }

  #known(
    name: PackageName,
    found: ApplicableRules,
    policy: CurrentPolicy,
    epoch: number,
  ): MaybeAsync<CachedPackageJudge> {
    const key = `${name} ${found.key}`;
    const known = this.#kept.get(key);
    if (known?.policy === policy && known.epoch === epoch) return known;
    return this.#reading.run(key, () => this.#read(key, name, found, policy, epoch), [policy, epoch]);
  }

  async #read(
    key: string,
    name: PackageName,
    found: ApplicableRules,
    policy: CurrentPolicy,
    epoch: number,
  ): Promise<CachedPackageJudge> {
    const documents: (readonly JsonObject[])[] = [];
    for (const stability of ['dev', 'stable'] as const) {
      const document = await this.#files.document(providerPath(name, stability), epoch);
      documents.push(document === undefined ? [] : recordsOf(document.bytes.toString('utf8'), name));
    }
    const facts = recordFacts(documents);
    const gains = found.readsGains ? await readPublishedGains(this.#files, name, epoch) : noGains;
    const known: CachedPackageJudge = {
      policy,
      epoch,
      judge: judgePackage(
        found.rules,
        policy.factsOf(name, 'private', {}, () => gains),
      ),
      facts,
    };
    this.#kept.set(key, known, key.length + 1024 + facts.records.size * 600);
    return known;
  }
}

function judge({ judge: ofPackage, facts }: CachedPackageJudge, entry: IndexEntry, nowMs: number): PolicyJudgement {
  return ofPackage(factsOfArchive(facts, entry), nowMs);
}
