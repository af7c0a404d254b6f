// The rules of one state of the policy, as the core asks them (I26).

import type { PackageName } from '../../../build/contract/name.ts';
import { andThen } from '../../../build/shared/concurrency/maybe-async.ts';
import type { RulesInEffect } from '../../core/protocol/release-policy.ts';
import type { TreeFiles } from '../../core/tree/tree-files.ts';
import type { VersionFacts } from '../judge/facts.ts';
import type { CurrentPolicy } from './current-policy.ts';
import { factsOfEntry } from './entry-facts.ts';
import type { Hits } from './hits.ts';
import { judgeClient, warningFor } from './judge-client.ts';
import { refuseArchive } from './note-findings.ts';
import { asRecorded, type PolicedDocuments, type PolicedPackage } from './policed-documents.ts';
import type { PublishedJudgements } from './published-judgements.ts';
import type { FoundRules } from './rule-finder.ts';

export interface EffectParts {
  readonly files: Pick<TreeFiles, 'archives'>;
  readonly hits: Hits;
  readonly documents: PolicedDocuments;
  readonly judgements: PublishedJudgements;
}

/** undefined: the policy has no rule. */
export function rulesInEffect(
  policy: CurrentPolicy,
  { files, hits, documents, judgements }: EffectParts,
): RulesInEffect | undefined {
  const { composer } = policy.compiled;
  if (policy.rules.isEmpty && composer.length === 0) return undefined;
  return {
    client: (caller, { nowMs }) => (composer.length === 0 ? undefined : judgeClient(composer, caller, hits, nowMs)),
    warning: (caller) => (composer.length === 0 ? undefined : warningFor(composer, caller)),
    published: (base, { name, stability }, { token, view }, { nowMs, epoch }) => {
      const found = policy.rules.about(name, 'private', token);
      if (found.key === '' || documents.isUnchanged(base, policy, found, nowMs, epoch)) return undefined;
      const viewKey = view?.key ?? '';
      const complete = () => completion(files, name, found, epoch);
      const asked = { name, stability, origin: 'private', viewKey, found, complete, epoch } as const;
      return andThen(documents.get(base, policy, asked, nowMs), (document) =>
        document === base ? undefined : { document, grow: (bytes) => documents.grow(asked, document, bytes) },
      );
    },
    publishedArchive: (name, entry, caller, moment) => {
      const found = policy.rules.about(name, 'private', caller.token);
      if (found.rules.length === 0) return undefined;
      return andThen(judgements.of(name, entry, found, policy, moment), (judgement) => {
        if (judgement.findings.length === 0) return undefined;
        const archive = { name, version: entry.version, normalized: entry.version_normalized, stored: true };
        return refuseArchive(archive, judgement, caller, hits, moment.nowMs);
      });
    },
  };
}

/** What the serving index adds to a record, if a rule reads it. */
function completion(
  files: Pick<TreeFiles, 'archives'>,
  name: PackageName,
  { readsIndex }: FoundRules,
  epoch: number,
): ReturnType<PolicedPackage['complete']> {
  if (!readsIndex) return asRecorded;
  return andThen(files.archives(name, epoch), (archives) => (facts: VersionFacts): VersionFacts => {
    const entry = archives?.find([facts.version], undefined);
    return entry === undefined ? facts : factsOfEntry(entry, facts, true);
  });
}
