// What people do with the policy, on the policy in effect and the packages of this registry.

import { decideHeld, type DecidingParts } from './held-releases.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { ArtifactRecord } from '../../artifacts/artifact.ts';
import { howToDecide } from '../model/words.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import { proposedPolicy, type PolicyReader, type PolicySources } from '../apply/policy-reader.ts';
import { parsePolicy, type PolicyIssue } from '../model/parse-policy.ts';
import type { PolicyDocument } from '../model/policy-document.ts';
import { knownNames } from './known-names.ts';
import { differenceOf } from '../model/policy-difference.ts';
import { rulesOfSettings } from '../model/rules-of-settings.ts';
import { unmatchableRules } from '../model/unmatchable-rules.ts';
import { readHits } from '../records/policy-hits.ts';
import { readStoredPolicy, replacePolicy, revisionOf } from '../records/stored-policy.ts';
import { explainVersion, findPackage, notFound, withheldVersions } from './explain-version.ts';
import type { PackageSource } from './package-source.ts';
import { createHeldList, hasFourEyes, heldIn, isHolding, stagedReleases, withApprovals } from './held-list.ts';
import { malwareOf, readExposures, readStanding } from './package-standing.ts';
import type { TokenProfile } from './token-profiles.ts';
import type { PolicyAdmin, PolicyCheck, UploadHold } from './policy-admin.ts';
import { remembered } from './remembered.ts';
import type { HeldRelease } from './held-list.ts';
import type { ExplainedVersion, FeedView, PolicyView } from './policy-views.ts';
import { sinceMs, type RecentUse } from './recent-use.ts';
import { testPolicy } from './test-policy.ts';
import { withNames, type Reader } from './with-names.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import { StateError } from '../../core/state/state-error.ts';
import { actorOf } from '../../auth/caller.ts';
import { TokenVisibility } from './token-visibility.ts';

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
  const { store, feeds, now } = options;
  const readHeld = createHeldList(options);
  return {
    ...looksAtAll(options, readHeld),
    get: () => viewOf(options),
    replace: (given, revision, actor) => replace({ ...options, readHeld }, given, revision, actor),
    check: (given) => check(options, given),
    test: (given) => tryPolicy(options, given),
    explain: (...asked) => explain(options, ...asked),
    withheld: (name, id) => withheld(options, name, id),
    standing: (name) => readStanding(options, name, now()),
    staged: async (name, version, reader) => named(store, reader, await stagedOf(options, name, version)),
    holdOn: (name, version) => holdOn(options, name, version),
    decide: async (asked, reader) => {
      const held = await decideHeld(options, asked, actorOf(reader)).catch(async (error: unknown) => {
        if (!(error instanceof RegistryError)) throw error;
        const message = await withNames(store, reader, error.message);
        throw new RegistryError(error.code, { message, details: error.details, cause: error });
      });
      return (await named(store, reader, [held]))[0] ?? held;
    },
    hits: () => readHits(store),
    feeds: async () => feeds?.statuses() ?? [],
    acceptFeed: async (id, actor) => {
      if (feeds === undefined) throw notFound('This registry has no feeds.');
      return feeds.accept(id, actor);
    },
  };
}

type WithHeld = PolicyAdminOptions & { readonly readHeld: ReturnType<typeof createHeldList> };

async function replace(
  options: WithHeld,
  ...[given, revision, actor]: Parameters<PolicyAdmin['replace']>
): Promise<PolicyView> {
  const { file, store } = options;
  if (file !== null)
    throw new RegistryError('SETTING_FIXED', {
      message: `The policy is in the file ${file}. Change that file; the server reads it within seconds.`,
      details: { file },
    });
  if (await hasFourEyes(options)) await assertNoneFreed(options, given);
  await replacePolicy({ store, actor }, given, revision);
  return viewOf(options);
}

/** Without a rule that holds releases, nothing is read. The upload is published, whatever this finds. */
async function holdOn(
  { reader, packages, now }: PolicyAdminOptions,
  name: PackageName,
  version: string,
): Promise<UploadHold> {
  try {
    const policy = await reader.current(now());
    if (!policy.compiled.rules.some(({ given }) => isHolding(given))) return { notices: [] };
    const explained = await explainVersion(policy, packages, { name, version, token: undefined, nowMs: now() });
    const holds = policy.compiled.rules.filter(({ given }) => isHolding(given)).map(({ given }) => given.name);
    const found = explained.findings.find(({ rule, exception }) => holds.includes(rule) && exception === null);
    return { ...(found !== undefined && { held: found.because }), notices: [] };
  } catch (error) {
    const isBehind = error instanceof RegistryError && error.code === 'NOT_FOUND';
    if (!isBehind && !(error instanceof UnusableFile || error instanceof StateError)) throw error;
    const why = isBehind ? 'this server has not followed the object store yet' : error.message;
    const notice = `It is unknown whether a rule holds ${name} ${version}: ${why}. \`libretto policy held\` shows it later.`;
    return { notices: [notice] };
  }
}

/** With people and tokens by name. */
function named<One extends { readonly because: string }>(
  store: PolicyAdminOptions['store'],
  reader: Reader,
  all: readonly One[],
): Promise<readonly One[]> {
  return Promise.all(all.map(async (one) => ({ ...one, because: await withNames(store, reader, one.because) })));
}

async function explain(
  options: PolicyAdminOptions,
  ...[name, version, id, caller]: Parameters<PolicyAdmin['explain']>
): Promise<ExplainedVersion> {
  const { store, reader, packages, now } = options;
  const token = id === undefined ? undefined : await findToken(options, id);
  const asked = { name, version, token, nowMs: now() };
  const explained = await explainVersion(await reader.current(now()), packages, asked).catch(async (error: unknown) => {
    const isUnknown = error instanceof RegistryError && error.code === 'NOT_FOUND';
    // all who ask this may list what waits
    const [one] = isUnknown ? await stagedOf(options, name, version) : [];
    if (one === undefined) throw error;
    return explainStaged(one);
  });
  const standing = await readStanding(options, name, now());
  const found = standing?.versions.find((one) => one.version === explained.version);
  const byName = async (one: ExplainedVersion['approval']): Promise<ExplainedVersion['approval']> =>
    one && { ...one, by: await withNames(store, caller, one.by) };
  return {
    ...explained,
    findings: [...(await named(store, caller, explained.findings))],
    approval: await byName(explained.approval),
    rejection: await byName(explained.rejection),
    malware: found === undefined ? null : malwareOf(found),
  };
}

function explainStaged({ name, version, origin, rule, because }: HeldRelease): Omit<ExplainedVersion, 'malware'> {
  return {
    name,
    version,
    origin,
    outcome: 'staged',
    findings: [{ rule, action: 'block', because, held: true, exception: null }],
    passed: [],
    approval: null,
    rejection: null,
  };
}

async function stagedOf(options: PolicyAdminOptions, name: string, version?: string): Promise<readonly HeldRelease[]> {
  const normalized = version === undefined ? undefined : normalizeVersion(version);
  const isAsked = (one: ArtifactRecord): boolean =>
    one.name === name && (version === undefined || one.version_normalized === normalized);
  return withApprovals(options, await stagedReleases(options, isAsked, options.now()));
}

/** Epoch milliseconds: no rule waits so long. */
const endOfTime = Date.UTC(9999, 0);

/** With four eyes nobody frees a held release alone: neither by an exception, nor by a change of the rule. */
async function assertNoneFreed(options: WithHeld, given: JsonValue): Promise<void> {
  const parsed = parsePolicy(given);
  if ('issues' in parsed) return; // refused anyway
  const nowMs = options.now();
  const [proposed, current] = [
    await proposedPolicy(options.sources, parsed.policy, nowMs),
    await options.reader.current(nowMs),
  ];
  const { releases } = await options.readHeld(nowMs, () => true);
  for (const held of releases.filter(({ staged }) => staged === undefined)) {
    const known = await findPackage(options.packages, held.name);
    const isHeldIn = (policy: CurrentPolicy, atMs: number): boolean =>
      known !== undefined && heldIn(known, policy, atMs).held.some(({ normalized }) => normalized === held.normalized);
    // nor by a rule that lets it go with time
    const isFreed = !isHeldIn(proposed, nowMs) || (isHeldIn(current, endOfTime) && !isHeldIn(proposed, endOfTime));
    if (!isFreed) continue;
    throw new RegistryError('CONFLICT', {
      message:
        `This change would offer ${held.name} ${held.version}, which a rule holds (setting publishing.four_eyes). ` +
        howToDecide(held),
    });
  }
}

/** Questions about all packages. */
function looksAtAll(
  options: PolicyAdminOptions,
  readHeld: WithHeld['readHeld'],
): Pick<PolicyAdmin, 'exposures' | 'exposuresSoon' | 'held' | 'heldSoon'> {
  const exposures = remembered(options, (nowMs) => readExposures(options, nowMs));
  return {
    exposures: exposures.now,
    exposuresSoon: exposures.soon,
    held: async (reader) => {
      const found = await readHeld(options.now());
      return { ...found, releases: await named(options.store, reader, found.releases) };
    },
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
