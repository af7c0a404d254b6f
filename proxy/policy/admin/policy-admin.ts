// What people do with the policy: read it, change it, try a new one, ask why a version is blocked, and decide about held
// releases. The management API, the console and the command line call this.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { actorOf } from '../../auth/caller.ts';
import type { Actor } from '../../state/audit.ts';
import { proposedPolicy } from '../apply/policy-reader.ts';
import { parsePolicy } from '../model/parse-policy.ts';
import { readHits } from '../records/policy-hits.ts';
import { changePolicy, checkPolicy, viewOf, type ChangingParts } from './change-policy.ts';
import { explainPolicyOn, holdOn, stagedOf, withheldFrom } from './explain-policy.ts';
import { notFound } from './explain-version.ts';
import type { HeldRelease } from './held-in-package.ts';
import { createHeldList } from './held-list.ts';
import { decideHeld, type DecidingParts, type Deciding } from './held-releases.ts';
import { readBlocks, readExposures, readStanding, type BlockedVersions } from './package-standing.ts';
import type { FeedView, PolicyTest } from './policy-views.ts';
import { sinceMs, type RecentUse } from './recent-use.ts';
import { remembered, rememberedOf } from './remembered.ts';
import { testPolicy } from './test-policy.ts';
import { TokenVisibility } from './token-visibility.ts';
import { named, withNames, type Reader } from './with-names.ts';

/** The feeds of advisories and filter lists. */
export interface PolicyFeeds {
  readonly statuses: () => Promise<readonly FeedView[]>;
  /** Throws NOT_FOUND. */
  readonly accept: (id: string, actor: Actor) => Promise<FeedView>;
}

export interface PolicyAdminOptions extends ChangingParts {
  readonly artifactsOf: DecidingParts['artifactsOf'];
  readonly stagedRecord: DecidingParts['stagedRecord'];
  readonly hasBuilder: boolean;
  readonly uses: RecentUse;
  /** undefined: there are none */
  readonly feeds?: PolicyFeeds | undefined;
}

export type PolicyAdmin = ReturnType<typeof createPolicyAdmin>;

/** `reader`: texts have people and tokens by name, as far as the reader may list them. */
export function createPolicyAdmin(options: PolicyAdminOptions) {
  const { store, feeds, now } = options;
  const readHeld = createHeldList(options);
  const exposures = remembered(options, (nowMs) => readExposures(options, nowMs));
  return {
    get: () => viewOf(options),
    /** Throws INVALID_INPUT, CONFLICT, and SETTING_FIXED if a file has the policy. */
    replace: (given: JsonValue, revision: string | undefined, actor: Actor) =>
      changePolicy(options, given, revision, actor),
    check: (given: JsonValue) => checkPolicy(options, given),
    /** Judges everything that is published or mirrored here, and sends no request. Throws INVALID_INPUT. */
    test: (given: JsonValue) => tryPolicy(options, given),
    /** `token`: its id; undefined: a token that no rule names. Throws NOT_FOUND for an unknown version or token. */
    explain: (name: PackageName, version: string, token: string | undefined, reader: Reader) =>
      explainPolicyOn(options, name, version, token, reader),
    /** The labels of a package that the policy keeps from the token, whether or not it sees them. */
    withheld: (name: PackageName, token: string) => withheldFrom(options, name, token),
    /** undefined: nothing is stored of the package. Rejects for a damaged one. */
    standing: (name: PackageName) => readStanding(options, name, now()),
    blockedVersions: ((...of) => readBlocks(options, ...of)) satisfies BlockedVersions,
    /** The same for a package of a list, as of this minute and this policy. */
    blockedIn: rememberedOf(options, (...of) => readBlocks(options, ...of)),
    /** All stored versions with an advisory or an entry of a filter list, as of the last seconds. */
    exposures: exposures.now,
    /**
     * The same within a moment, or within `waitMs` while the last known ones are of this minute and this policy: else the
     * last known ones; undefined: unknown, or lists are damaged.
     */
    exposuresSoon: exposures.soon,
    /** The releases that wait until time or a person decides, as of now. `only`: default: of all packages. */
    held: async (reader: Reader, only?: readonly string[]) => {
      const found = await readHeld(now(), { only: only?.flatMap((name) => parsePackageName(name) ?? []) });
      return { ...found, releases: await named(store, reader, found.releases) };
    },
    /** The same within a moment, with ids: else the last known ones; undefined: unknown. */
    heldSoon: remembered(options, readHeld).soon,
    /** The staged uploads of one package, or of one version. */
    staged: async (name: PackageName, version: string | undefined, reader: Reader) =>
      named(store, reader, await stagedOf(options, name, version)),
    /** Why a rule holds a version that was just published, or why that is unknown. */
    holdOn: (name: PackageName, version: string) => holdOn(options, name, version),
    /** Throws NOT_FOUND for a release that is not held, and CONFLICT if it has another archive meanwhile. */
    decide: (asked: Deciding, reader: Reader) => decideByName(options, asked, reader),
    /** First hits, newest first. */
    hits: () => readHits(store),
    feeds: async (): Promise<readonly FeedView[]> => feeds?.statuses() ?? [],
    /** Takes the small list of a feed. Throws NOT_FOUND. */
    acceptFeed: async (id: string, actor: Actor): Promise<FeedView> => {
      if (feeds === undefined) throw notFound('This registry has no feeds.');
      return feeds.accept(id, actor);
    },
  };
}

async function decideByName(options: PolicyAdminOptions, asked: Deciding, reader: Reader): Promise<HeldRelease> {
  const { store } = options;
  const held = await decideHeld(options, asked, actorOf(reader)).catch(async (error: unknown) => {
    if (!(error instanceof RegistryError)) throw error;
    const message = await withNames(store, reader, error.message);
    throw new RegistryError(error.code, { message, details: error.details, cause: error });
  });
  return (await named(store, reader, [held]))[0] ?? held;
}

async function tryPolicy(options: PolicyAdminOptions, given: JsonValue): Promise<PolicyTest> {
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
