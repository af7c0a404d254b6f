// Answers the port of the core, and the questions of the mirror: which documents, archives and clients the policy lets
// through.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../../core/http/answer.ts';
import type { TextDocument } from '../../core/http/document.ts';
import type { Moment } from '../../core/protocol/mirrored-packages.ts';
import type { PolicyCaller, ReleasePolicy, RulesInEffect } from '../../core/protocol/release-policy.ts';
import type { TreeFiles } from '../../core/tree/tree-files.ts';
import type { VersionFacts } from '../judge/facts.ts';
import type { PolicyJudgement } from '../judge/judge.ts';
import type { CurrentPolicy } from './current-policy.ts';
import type { Hits } from './hits.ts';
import { refuseArchive, type RequestedArchive } from './note-findings.ts';
import { PolicedDocuments } from './policed-documents.ts';
import type { PolicyReader } from './policy-reader.ts';
import { PublishedJudgements } from './published-judgements.ts';
import type { ApplicableRules } from './rule-finder.ts';
import { rulesInEffect } from './rules-in-effect.ts';

export interface RegistryPolicyOptions {
  readonly reader: PolicyReader;
  readonly files: Pick<TreeFiles, 'document' | 'archives'>;
  readonly hits: Hits;
  /** memory for documents without blocked versions */
  readonly cacheBytes: number;
}

/** Judges the archive that would be sent by these rules. */
type JudgeMirrored = (
  found: ApplicableRules,
  policy: CurrentPolicy,
) => MaybeAsync<Omit<RequestedArchive, 'name'> & { readonly judgement: PolicyJudgement }>;

/** The port of the core, and what the mirror asks. */
export interface RegistryPolicy extends ReleasePolicy {
  /**
   * A document of a mirrored package, without the versions that are blocked for this token alone. `isCut`: the token's
   * view has removed versions, and the warnings of all rules with them. `dated`: normalized versions whose
   * `published-time` this registry has added: their age is that of their author. `lists`: those that count for the
   * package, also of other documents.
   */
  readonly mirrored: (
    base: TextDocument,
    asked: {
      readonly name: PackageName;
      readonly stability: 'stable' | 'dev';
      readonly isCut: boolean;
      readonly dated: ReadonlySet<string>;
      readonly lists: JsonObject;
    },
    caller: PolicyCaller,
    moment: Moment,
  ) => Promise<TextDocument>;
  /** The refusal of a mirrored archive; undefined: it may be sent. */
  readonly mirroredArchive: (
    name: PackageName,
    caller: PolicyCaller,
    moment: Moment,
    judge: JudgeMirrored,
  ) => Promise<Answer | undefined>;
}

export function createRegistryPolicy({ reader, files, hits, cacheBytes }: RegistryPolicyOptions): RegistryPolicy {
  const documents = new PolicedDocuments(cacheBytes);
  const judgements = new PublishedJudgements(files, cacheBytes);
  let last: { readonly policy: CurrentPolicy; readonly rules: RulesInEffect | undefined } | undefined;
  const rulesOf = (policy: CurrentPolicy): RulesInEffect | undefined => {
    if (last?.policy !== policy)
      last = { policy, rules: rulesInEffect(policy, { files, hits, documents, judgements }) };
    return last.rules;
  };
  return {
    rules: (nowMs) => andThen(reader.current(nowMs), rulesOf),
    mirrored: async (base, { name, stability, isCut, dated, lists }, { token, view }, { nowMs, epoch }) => {
      const policy = await reader.current(nowMs);
      const found = policy.rules[isCut ? 'about' : 'aboutToken'](name, 'mirrored', token);
      if (found.rules.length === 0 || documents.isUnchanged(base, policy, found, nowMs, epoch)) return base;
      const viewKey = view?.key ?? '';
      const asked = {
        name,
        stability,
        origin: 'mirrored',
        viewKey,
        found,
        complete: () => withoutOwnDates(dated),
        lists,
        epoch,
      } as const;
      return documents.get(base, policy, asked, nowMs);
    },
    mirroredArchive: async (name, caller, moment, judge) => {
      const policy = await reader.current(moment.nowMs);
      const found = policy.rules.about(name, 'mirrored', caller.token);
      if (found.rules.length === 0) return undefined;
      const { judgement, ...archive } = await judge(found, policy);
      return refuseArchive({ name, ...archive }, judgement, caller, hits, moment.nowMs);
    },
  };
}

function withoutOwnDates(dated: ReadonlySet<string>): (facts: VersionFacts) => VersionFacts {
  return (facts) => (dated.has(facts.normalized) ? { ...facts, publishedMs: undefined } : facts);
}
