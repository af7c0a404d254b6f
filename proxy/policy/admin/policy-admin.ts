// What people do with the policy: read it, change it, try a new one, and ask why a version is blocked. The management
// API, the console and the command line call this.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Actor } from '../../state/audit.ts';
import type { PackageOrigin } from '../judge/facts.ts';
import type { PolicyIssue } from '../model/parse-policy.ts';
import type { PolicyDifference } from '../model/policy-difference.ts';
import type { Action, PolicyException, Rule } from '../model/policy-document.ts';
import type { PolicyHit } from '../records/policy-hits.ts';

export interface PolicyView {
  /** the rules of policy.json, or of the state */
  readonly rules: readonly Rule[];
  readonly exceptions: readonly PolicyException[];
  /** rules that the settings `mirroring.*` describe; they come first */
  readonly rules_of_settings: readonly Rule[];
  /** for a change that must not overwrite another one */
  readonly revision: string;
  /** the path of the policy file; null: the rules are in the state, and can be changed here */
  readonly file: string | null;
  /** why the policy file cannot be used now, while the last good policy stays in effect; null: nothing is wrong */
  readonly fault: string | null;
}

export interface PolicyCheck {
  /** faults: such a policy is refused */
  readonly issues: readonly PolicyIssue[];
  /** rules that can never match, exceptions that ended or cover nothing, and lists that nobody publishes */
  readonly remarks: readonly PolicyIssue[];
  /** what changes against the policy in effect; empty for a faulty policy */
  readonly difference: readonly PolicyDifference[];
}

export interface TestedVersion {
  readonly name: PackageName;
  readonly version: string;
  readonly origin: PackageOrigin;
  readonly rule: string;
  readonly action: Action;
  readonly because: string;
  /** true: the policy in effect says the same of it */
  readonly already: boolean;
  /** installs and downloads in the last 90 days */
  readonly used: number;
  /** tokens that see the version and were used in the last 90 days: their ids */
  readonly tokens: readonly string[];
}

export interface PolicyTest {
  /** used versions first, then by name; at most 1000 */
  readonly versions: readonly TestedVersion[];
  /** how many versions each rule concerns, whether or not they are listed */
  readonly counts: readonly {
    readonly rule: string;
    readonly action: Action;
    readonly versions: number;
    readonly used: number;
    readonly tokens: number;
  }[];
  /** versions that were looked at */
  readonly examined: number;
}

export interface ExplainedVersion {
  readonly name: PackageName;
  readonly version: string;
  readonly origin: PackageOrigin;
  /**
   * blocked: absent from the metadata, and its archive is refused. served: absent, by a rule or since it is withdrawn,
   * but its archive is still sent
   */
  readonly outcome: 'offered' | 'blocked' | 'served';
  readonly findings: readonly {
    readonly rule: string;
    readonly action: Action;
    readonly because: string;
    readonly exception: PolicyException | null;
  }[];
  /** names of rules that concern the package and have nothing against this version */
  readonly passed: readonly string[];
}

/** A feed of advisories or filter lists. */
export interface FeedView {
  readonly id: string;
  readonly kind: string;
  readonly url: string;
  readonly rows: number;
  /** RFC 3339 UTC; null: never */
  readonly fetched_at: string | null;
  readonly failing_since: string | null;
  readonly problem: string | null;
  /** the newest answer is much smaller than the copy in use, which stays until somebody accepts the answer */
  readonly shrunk: { readonly from: number; readonly to: number } | null;
}

export interface PolicyAdmin {
  readonly get: () => Promise<PolicyView>;
  /** Throws INVALID_INPUT, CONFLICT, and SETTING_FIXED if a file has the policy. */
  readonly replace: (given: JsonValue, revision: string | undefined, actor: Actor) => Promise<PolicyView>;
  readonly check: (given: JsonValue) => Promise<PolicyCheck>;
  /** Judges everything that is published or mirrored here, and sends no request. Throws INVALID_INPUT. */
  readonly test: (given: JsonValue) => Promise<PolicyTest>;
  /** `token`: its id; undefined: a token that no rule names. Throws NOT_FOUND for an unknown version or token. */
  readonly explain: (name: PackageName, version: string, token: string | undefined) => Promise<ExplainedVersion>;
  /** First hits, newest first. */
  readonly hits: () => Promise<readonly PolicyHit[]>;
  readonly feeds: () => Promise<readonly FeedView[]>;
  /** Takes the small list of a feed. Throws NOT_FOUND. */
  readonly acceptFeed: (id: string, actor: Actor) => Promise<FeedView>;
}
