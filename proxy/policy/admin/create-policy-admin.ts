// What people do with the policy, on the policy in effect and the packages of this registry.

import { decideHeld, type DecidingParts } from './held-releases.ts';
import { noGains } from '../judge/held-releases.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import { listedFacts, noOutsideLists } from '../apply/current-policy.ts';
import { proposedPolicy, type PolicyReader, type PolicySources } from '../apply/policy-reader.ts';
import { parsePolicy, type PolicyIssue } from '../model/parse-policy.ts';
import type { PolicyDocument } from '../model/policy-document.ts';
import { differenceOf } from '../model/policy-difference.ts';
import { rulesOfSettings } from '../model/rules-of-settings.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { unmatchableRules, type RegistryNames } from '../model/unmatchable-rules.ts';
import { readHits } from '../records/policy-hits.ts';
import { readStoredPolicy, replacePolicy, revisionOf } from '../records/stored-policy.ts';
import { explainVersion, notFound, withheldVersions } from './explain-version.ts';
import type { PackageSource } from './package-source.ts';
import { createHeldList, stagedReleases, withApprovals } from './held-list.ts';
import { malwareOf, readExposures, readStanding } from './package-standing.ts';
import type { TokenProfile } from './token-profiles.ts';
import type { PolicyAdmin } from './policy-admin.ts';
import { remembered } from './remembered.ts';
import type { PolicyCheck } from './policy-admin.ts';
import type { FeedView, PolicyView } from './policy-views.ts';
import { sinceMs, type RecentUse } from './recent-use.ts';
import { testPolicy } from './test-policy.ts';
import { TokenVisibility } from './token-visibility.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { malwareIn } from '../judge/facts.ts';

// Collects the names that remarks on a policy compare with: packages, tokens and filter lists.

interface NameSources {
  readonly sources: PolicySources;
  readonly packages: readonly PackageSource[];
  readonly tokens: () => Promise<readonly TokenProfile[]>;
  readonly nowMs: number;
}

/** `policy`: only the lists that it names are looked for. */
async function knownNames(
  policy: PolicyDocument,
  { sources, packages, tokens, nowMs }: NameSources,
): Promise<RegistryNames> {
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

/** The feeds of advisories and filter lists. */
export interface PolicyFeeds {
  readonly statuses: () => Promise<readonly FeedView[]>;
  /** Throws NOT_FOUND. */
  readonly accept: (id: string, actor: Actor) => Promise<FeedView>;
}

export interface PolicyAdminOptions extends Pick<ChangeParts, 'store' | 'now'> {
  /** the path of the policy file; null: the rules are in the state */
  readonly file: string | null;
  /** Why the policy file cannot be used now; null: nothing is wrong. */
  readonly fileFault?: () => Promise<string | null>;
  readonly sources: PolicySources;
  readonly reader: PolicyReader;
  /** those that are published here come first */
  readonly packages: readonly PackageSource[];
  readonly tokens: () => Promise<readonly TokenProfile[]>;
  readonly artifactsOf: DecidingParts['artifactsOf'];
  readonly stagedRecord: DecidingParts['stagedRecord'];
  readonly hasBuilder: boolean;
  readonly uses: RecentUse;
  /** undefined: there are none */
  readonly feeds?: PolicyFeeds | undefined;
}

export function createPolicyAdmin(options: PolicyAdminOptions): PolicyAdmin {
  const { store, file, feeds, reader, packages, sources, now } = options;
  const fourEyes = async (): Promise<boolean> => (await sources.settings.current())['publishing.four_eyes'];
  return {
    ...looksAtAll(options),
    get: () => viewOf(options),
    replace: async (given, revision, actor) => {
      if (file !== null)
        throw new RegistryError('SETTING_FIXED', {
          message: `The policy is in the file ${file}. Change that file; the server reads it within seconds.`,
          details: { file },
        });
      await replacePolicy({ store, actor }, given, revision);
      return viewOf(options);
    },
    check: (given) => check(options, given),
    test: (given) => tryPolicy(options, given),
    explain: async (name, version, id) => {
      const token = id === undefined ? undefined : await findToken(options, id);
      const asked = { name, version, token, nowMs: now() };
      const explained = await explainVersion(await reader.current(asked.nowMs), packages, asked);
      const standing = await readStanding(options, name, now());
      const found = standing?.versions.find((one) => one.version === explained.version);
      return { ...explained, malware: found === undefined ? null : malwareOf(found) };
    },
    withheld: (name, id) => withheld(options, name, id),
    standing: (name) => readStanding(options, name, now()),
    staged: async (name) => withApprovals(store, await stagedReleases(options, (one) => one.name === name, now())),
    decide: (asked, actor) => decideHeld({ ...options, fourEyes }, asked, actor),
    hits: () => readHits(store),
    feeds: async () => feeds?.statuses() ?? [],
    acceptFeed: async (id, actor) => {
      if (feeds === undefined) throw notFound('This registry has no feeds.');
      return feeds.accept(id, actor);
    },
  };
}

/** Questions about all packages. */
function looksAtAll(
  options: PolicyAdminOptions,
): Pick<PolicyAdmin, 'exposures' | 'exposuresSoon' | 'held' | 'heldSoon'> {
  const exposures = remembered(options, (nowMs) => readExposures(options, nowMs));
  const readHeld = createHeldList(options);
  return {
    exposures: exposures.now,
    exposuresSoon: exposures.soon,
    held: () => readHeld(options.now()),
    heldSoon: remembered(options, readHeld).soon,
  };
}

async function viewOf({ store, file, fileFault, sources }: PolicyAdminOptions): Promise<PolicyView> {
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
}: Pick<PolicyAdminOptions, 'store' | 'file' | 'sources'>): Promise<PolicyDocument> {
  return file === null ? (await readStoredPolicy(store)).policy : sources.document();
}

async function check(options: PolicyAdminOptions, given: JsonValue): Promise<PolicyCheck> {
  const parsed = parsePolicy(given);
  if ('issues' in parsed) return { issues: parsed.issues, remarks: [], difference: [] };
  return {
    issues: [],
    remarks: await remarksOn(options, parsed.policy),
    difference: differenceOf(await documentOf(options), parsed.policy),
  };
}

async function remarksOn(
  { sources, packages, tokens, now }: PolicyAdminOptions,
  policy: PolicyDocument,
): Promise<readonly PolicyIssue[]> {
  return unmatchableRules(policy, await knownNames(policy, { sources, packages, tokens, nowMs: now() }));
}

async function tryPolicy(options: PolicyAdminOptions, given: JsonValue): ReturnType<PolicyAdmin['test']> {
  const { sources, reader, packages, tokens, uses, now } = options;
  const parsed = parsePolicy(given);
  if ('issues' in parsed)
    throw new RegistryError('INVALID_INPUT', { details: { issues: [...parsed.issues] as never } });
  const nowMs = now();
  return testPolicy({
    proposed: await proposedPolicy(sources, parsed.policy, nowMs),
    inEffect: await reader.current(nowMs),
    packages,
    uses,
    sight: await TokenVisibility.of(await tokens(), sinceMs(nowMs)),
    nowMs,
  });
}

async function withheld(options: PolicyAdminOptions, name: PackageName, id: string): Promise<ReadonlySet<string>> {
  const nowMs = options.now();
  const question = { name, token: await findToken(options, id), nowMs };
  return withheldVersions(await options.reader.current(nowMs), options.packages, question);
}

async function findToken({ tokens }: PolicyAdminOptions, id: string): Promise<TokenProfile> {
  const found = (await tokens()).find((token) => token.id === id);
  if (found === undefined) throw notFound(`There is no token with the id ${JSON.stringify(id.slice(0, 80))}.`);
  return found;
}
