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
import type { Gains } from '../judge/held-releases.ts';
import type { PolicyJudgement } from '../judge/judge.ts';
import type { CurrentPolicy } from './current-policy.ts';
import type { Hits } from './hits.ts';
import { PolicedDocuments, asRecorded, type PolicedPackage } from './policed-documents.ts';
import type { PolicyReader } from './policy-reader.ts';
import { readPublishedGains } from './published-gains.ts';
import { PublishedJudgements } from './published-judgements.ts';
import type { ApplicableRules } from './rule-finder.ts';
import { factsOfEntry } from './record-facts.ts';
import type { ComposerRule } from '../judge/compile-policy.ts';
import { clientAnswer, refuseArchive, type RequestedArchive } from './refusals.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';

// The rules of one state of the policy, as the core asks them (I26).

interface EffectParts {
  readonly files: Pick<TreeFiles, 'document' | 'archives'>;
  readonly hits: Hits;
  readonly documents: PolicedDocuments;
  readonly judgements: PublishedJudgements;
}

/** undefined: the policy has no rule. */
function rulesInEffect(
  policy: CurrentPolicy,
  { files, hits, documents, judgements }: EffectParts,
): RulesInEffect | undefined {
  const { composer } = policy.compiled;
  if (policy.rules.isEmpty && composer.length === 0) return undefined;
  return {
    id: policy.compiled.key,
    client: (caller, { nowMs }) => (composer.length === 0 ? undefined : judgeClient(composer, caller, hits, nowMs)),
    warning: (caller) => (composer.length === 0 ? undefined : warningFor(composer, caller)),
    published: (base, { name, stability }, { token, view }, { nowMs, epoch }) => {
      const found = policy.rules.about(name, 'private', token);
      if (found.key === '' || documents.isUnchanged(base, policy, found, nowMs, epoch)) return undefined;
      const viewKey = view?.key ?? '';
      const complete = () => completion(files, name, found, epoch);
      const gains = () => readPublishedGains(files, name, epoch);
      const asked = { name, stability, origin: 'private', viewKey, found, complete, gains, epoch } as const;
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
async function completion(
  files: EffectParts['files'],
  name: PackageName,
  { readsIndex }: ApplicableRules,
  epoch: number,
): Promise<Awaited<ReturnType<PolicedPackage['complete']>>> {
  if (!readsIndex) return asRecorded;
  const archives = await files.archives(name, epoch);
  return (facts: VersionFacts) => {
    const entry = archives?.find([facts.version], undefined);
    return entry === undefined ? facts : factsOfEntry(entry, facts, true);
  };
}

// Judges the version of Composer that sends a request: it is refused, or packages.json has a warning for it.

/** The refusal; undefined: the program may send requests. */
function judgeClient(
  rules: readonly ComposerRule[],
  { token, userAgent }: PolicyCaller,
  hits: Hits,
  nowMs: number,
): Answer | undefined {
  if (rules.length === 0) return undefined;
  const version = composerVersionOf(userAgent);
  if (version === undefined) return undefined;
  const against = rulesAgainst(version, token, rules);
  const block = against.find(({ given }) => given.action === 'block');
  for (const { given } of block === undefined ? against : [block])
    hits.note({
      rule: given.name,
      action: given.action,
      name: null,
      version,
      normalized: '', // clients write any version: one row for each rule
      released_ms: null,
      because: `the rule allows Composer ${given.versions}`,
      token: token ?? null,
      at: new Date(nowMs).toISOString(),
    });
  return block === undefined ? undefined : clientAnswer(version, block.given);
}

/** The same sentence for all versions that the rule does not allow: packages.json is cached for each sentence. */
function warningFor(rules: readonly ComposerRule[], { token, userAgent }: PolicyCaller): string | undefined {
  const version = rules.length === 0 ? undefined : composerVersionOf(userAgent);
  if (version === undefined) return undefined;
  const warning = rulesAgainst(version, token, rules).find(({ given }) => given.action === 'warn')?.given;
  if (warning === undefined) return undefined;
  return (
    `The rule ${warning.name} of this registry allows Composer ${warning.versions}, and this is another version. ` +
    (warning.message ?? 'Update it with `composer self-update`.')
  );
}

// Decides which versions of Composer may send requests, by their User-Agent: `Composer/2.8.1 (Linux; …)`.

/** The version of Composer that a User-Agent names; undefined: the program is not Composer. */
function composerVersionOf(userAgent: string | undefined): string | undefined {
  return /^Composer\/([^\s;()]{1,64})/.exec(userAgent ?? '')?.[1];
}

/**
 * The rules that do not allow this version. A development version such as `2.9-dev+8f31a2c` counts as its
 * release. A version that cannot be read is not allowed.
 */
function rulesAgainst(
  version: string,
  token: string | undefined,
  rules: readonly ComposerRule[],
): readonly ComposerRule[] {
  const numbers = /^\d+(?:\.\d+){0,3}/.exec(version)?.[0];
  const normalized = numbers === undefined ? undefined : normalizeVersion(numbers);
  return rules.filter(
    ({ given, allows }) =>
      (given.tokens === undefined || (token !== undefined && given.tokens.includes(token))) &&
      (normalized === undefined || !allows(normalized)),
  );
}

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
      readonly gains: Gains;
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
    mirrored: async (base, { name, stability, isCut, dated, lists, gains }, { token, view }, { nowMs, epoch }) => {
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
        gains: () => gains,
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
