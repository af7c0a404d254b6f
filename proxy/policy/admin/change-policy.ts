// Changes and checks the policy: what it says, what a new one would change, and what it says without effect.

import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import { listedFacts, noOutsideLists } from '../apply/current-policy.ts';
import type { PolicyReader, PolicySources } from '../apply/policy-reader.ts';
import { malwareIn } from '../judge/facts.ts';
import { noGains } from '../judge/held-releases.ts';
import { parsePolicy, type PolicyIssue } from '../model/parse-policy.ts';
import { differenceOf, type PolicyDifference } from '../model/policy-difference.ts';
import type { PolicyDocument } from '../model/policy-document.ts';
import { rulesOfSettings } from '../model/rules-of-settings.ts';
import { weakenedHold } from '../model/weakened-hold.ts';
import { unmatchableRules, type RegistryNames } from '../model/unmatchable-rules.ts';
import { readStoredPolicy, replacePolicy, revisionOf } from '../records/stored-policy.ts';
import { hasFourEyes } from './held-list.ts';
import type { PackageSource } from './package-source.ts';
import type { PolicyView } from './policy-views.ts';
import type { TokenProfile } from './token-profiles.ts';

export interface ChangingParts extends Pick<ChangeParts, 'store' | 'now'> {
  /** the path of the policy file; null: the rules are in the state */
  readonly file: string | null;
  /** Why the policy file cannot be used now; null: nothing is wrong. */
  readonly fileFault?: () => Promise<string | null>;
  readonly sources: PolicySources;
  readonly reader: PolicyReader;
  /** those that are published here come first */
  readonly packages: readonly PackageSource[];
  readonly tokens: () => Promise<readonly TokenProfile[]>;
}

export interface PolicyCheck {
  /** faults: such a policy is refused */
  readonly issues: readonly PolicyIssue[];
  /** rules that can never match, exceptions that ended or cover nothing, and lists that nobody publishes */
  readonly remarks: readonly PolicyIssue[];
  /** what changes against the policy in effect; empty for a faulty policy */
  readonly difference: readonly PolicyDifference[];
}

export async function changePolicy(
  options: ChangingParts,
  given: JsonValue,
  ...[revision, actor]: [string | undefined, Actor]
): Promise<PolicyView> {
  const { file, store } = options;
  if (file !== null)
    throw new RegistryError('SETTING_FIXED', {
      message: `The policy is in the file ${file}. Change that file; the server reads it within seconds.`,
      details: { file },
    });
  const base = (await hasFourEyes(options)) ? await assertNoneWeakened(options, given) : undefined;
  await replacePolicy({ store, actor }, given, revision ?? base);
  return viewOf(options);
}

/** With four eyes nobody frees held releases alone. The revision of the policy that was compared. */
async function assertNoneWeakened({ store }: ChangingParts, given: JsonValue): Promise<string> {
  const parsed = parsePolicy(given);
  const { policy, revision } = await readStoredPolicy(store);
  const weakened = 'issues' in parsed ? undefined : weakenedHold(policy, parsed.policy); // issues are refused anyway
  if (weakened === undefined) return revision;
  throw new RegistryError('CONFLICT', {
    message:
      `The rule ${weakened} would hold fewer releases, and with four eyes (setting publishing.four_eyes) nobody decides ` +
      'that alone. Add other rules beside it, decide about single releases with `libretto policy approve`, or turn ' +
      'that setting off first.',
    details: { rule: weakened },
  });
}

export async function viewOf({ store, file, fileFault, sources }: ChangingParts): Promise<PolicyView> {
  const settings = rulesOfSettings(await sources.settings.current());
  const policy = await documentOf({ store, file, sources });
  const revision = file === null ? (await readStoredPolicy(store)).revision : revisionOf(policy);
  return { ...policy, rules_of_settings: settings, revision, file, fault: (await fileFault?.()) ?? null };
}

/** The policy without the rules of the settings. */
async function documentOf({
  store,
  file,
  sources,
}: Pick<ChangingParts, 'store' | 'file' | 'sources'>): Promise<PolicyDocument> {
  return file === null ? (await readStoredPolicy(store)).policy : sources.document();
}

/** `given`: a policy that is not stored. */
export async function checkPolicy(options: ChangingParts, given: JsonValue): Promise<PolicyCheck> {
  const parsed = parsePolicy(given);
  if ('issues' in parsed) return { issues: parsed.issues, remarks: [], difference: [] };
  return {
    issues: [],
    remarks: unmatchableRules(parsed.policy, await knownNames(parsed.policy, options)),
    difference: differenceOf(await documentOf(options), parsed.policy),
  };
}

/** The names that remarks compare with. Only the lists that the policy names are looked for. */
async function knownNames(
  policy: PolicyDocument,
  { sources, packages, tokens, now }: ChangingParts,
): Promise<RegistryNames> {
  const nowMs = now();
  const names = await Promise.all(
    packages.map(async (source) => ({ origin: source.origin, names: await source.names() })),
  );
  const namesOf = (origin: PackageSource['origin']): readonly string[] =>
    names.flatMap((one) => (one.origin === origin ? one.names : []));
  const isOfPolicy = policy.rules.some((rule) => rule.tokens !== undefined);
  return {
    nowMs,
    privatePackages: namesOf('private'),
    mirroredPackages: namesOf('mirrored'),
    tokens: new Map(isOfPolicy ? (await tokens()).map(({ id, status }) => [id, status]) : []),
    lists: await knownLists(policy, sources, packages, nowMs),
    ofSettings: rulesOfSettings(await sources.settings.current()),
  };
}

/** Lists of libretto.json are known at once. The others are looked for in the packages, until all are found. */
async function knownLists(
  { rules }: PolicyDocument,
  { own, outside }: PolicySources,
  packages: readonly PackageSource[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const ofRegistry = await (own?.read(nowMs) ?? noAdvisories);
  const known = new Set(ofRegistry.filters);
  const wanted = new Set(rules.flatMap((rule) => (rule.rule === 'filter' ? rule.lists : [])));
  const others = outside?.() ?? noOutsideLists;
  const turn = createTurns();
  for (const source of packages) {
    for (const name of await source.names()) {
      if ([...wanted].every((list) => known.has(list))) return known;
      const read = source.origin === 'mirrored' ? await source.read(name).catch(() => undefined) : undefined;
      const about = { name, origin: source.origin, beside: read?.beside ?? {}, gains: () => noGains };
      const { entries, advisories } = listedFacts(ofRegistry, others, about);
      for (const { list } of [...entries, ...malwareIn(advisories)]) known.add(list);
      await turn();
    }
  }
  return known;
}
