// What people do with the policy: read it, change it, try a new one, and ask why a version is blocked. The management
// API, the console and the command line call this.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Actor } from '../../state/audit.ts';
import type { PolicyIssue } from '../model/parse-policy.ts';
import type { PolicyDifference } from '../model/policy-difference.ts';
import type { PolicyHit } from '../records/policy-hits.ts';
import type { HeldList, HeldRelease } from './held-list.ts';
import type { Deciding } from './held-releases.ts';
import type { Exposures, PackageStanding } from './package-standing.ts';
import type { Reader } from './with-names.ts';
import type { ExplainedVersion, FeedView, PolicyTest, PolicyView } from './policy-views.ts';

export interface PolicyCheck {
  /** faults: such a policy is refused */
  readonly issues: readonly PolicyIssue[];
  /** rules that can never match, exceptions that ended or cover nothing, and lists that nobody publishes */
  readonly remarks: readonly PolicyIssue[];
  /** what changes against the policy in effect; empty for a faulty policy */
  readonly difference: readonly PolicyDifference[];
}

/** What an upload answers beside its record. */
export interface UploadHold {
  /** completes a sentence; absent: no rule holds it */
  readonly held?: string;
  readonly notices: readonly string[];
}

/** `reader`: texts have people and tokens by name, as far as the reader may list them. */
export interface PolicyAdmin {
  readonly get: () => Promise<PolicyView>;
  /** Throws INVALID_INPUT, CONFLICT, and SETTING_FIXED if a file has the policy. */
  readonly replace: (given: JsonValue, revision: string | undefined, actor: Actor) => Promise<PolicyView>;
  readonly check: (given: JsonValue) => Promise<PolicyCheck>;
  /** Judges everything that is published or mirrored here, and sends no request. Throws INVALID_INPUT. */
  readonly test: (given: JsonValue) => Promise<PolicyTest>;
  /** `token`: its id; undefined: a token that no rule names. Throws NOT_FOUND for an unknown version or token. */
  readonly explain: (
    name: PackageName,
    version: string,
    token: string | undefined,
    reader: Reader,
  ) => Promise<ExplainedVersion>;
  /** The labels of a package that the policy keeps from the token, whether or not it sees them. */
  readonly withheld: (name: PackageName, token: string) => Promise<ReadonlySet<string>>;
  /** undefined: nothing is stored of the package. Rejects for a damaged one. */
  readonly standing: (name: PackageName) => Promise<PackageStanding | undefined>;
  /** All stored versions with an advisory or an entry of a filter list, as of the last seconds. */
  readonly exposures: () => Promise<Exposures>;
  /**
   * The same within a moment, or within `waitMs` while the last known ones are of this minute and this policy: else the
   * last known ones; undefined: unknown, or lists are damaged.
   */
  readonly exposuresSoon: (waitMs?: number) => Promise<Exposures | undefined>;
  /** The releases that wait until time or a person decides, as of now. */
  readonly held: (reader: Reader) => Promise<HeldList>;
  /** Why a rule holds a version that was just published, or why that is unknown. */
  readonly holdOn: (name: PackageName, version: string) => Promise<UploadHold>;
  /** The staged uploads of one package, or of one version. */
  readonly staged: (name: PackageName, version: string | undefined, reader: Reader) => Promise<readonly HeldRelease[]>;
  /** The same as `held` within a moment, with ids: else the last known ones; undefined: unknown. */
  readonly heldSoon: () => Promise<HeldList | undefined>;
  /** First hits, newest first. */
  readonly hits: () => Promise<readonly PolicyHit[]>;
  /** Throws NOT_FOUND for a release that is not held, and CONFLICT if it has another archive meanwhile. */
  readonly decide: (asked: Deciding, reader: Reader) => Promise<HeldRelease>;
  readonly feeds: () => Promise<readonly FeedView[]>;
  /** Takes the small list of a feed. Throws NOT_FOUND. */
  readonly acceptFeed: (id: string, actor: Actor) => Promise<FeedView>;
}
