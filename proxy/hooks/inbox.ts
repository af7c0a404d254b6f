// The port between the receiver of webhooks and the syncs: the only way from a received hook to a sync. A hook is a
// hint and never data. It says that a repository may have changed, and nothing of its payload is stored or published.

import type { Branded } from '../../build/contract/brand.ts';
import type { RepositoryId } from '../sync/repository.ts';

/** The address that a hook was sent to: `POST /hooks/{id}`, or `POST /hooks` for several repositories. */
export type HookAddress = { readonly of: 'repository'; readonly id: RepositoryId } | { readonly of: 'registry' };

export const providerNames = [
  'github',
  'gitlab',
  'bitbucket',
  'bitbucket-server',
  'gitea',
  'azure',
  'generic',
] as const;
export type ProviderName = (typeof providerNames)[number];

/** For people. */
export const providerTitles: Readonly<Record<ProviderName, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket Cloud',
  'bitbucket-server': 'Bitbucket Data Center',
  gitea: 'Gitea or Forgejo',
  azure: 'Azure DevOps',
  generic: 'Another program',
};

/**
 * The address of a clone without scheme, user, default port, `.git` and slash at its end, host in lower case: equal for
 * all spellings of one repository.
 */
export type NormalizedCloneUrl = Branded<string, 'NormalizedCloneUrl'>;

/** What a received hook asks for. */
export const deliveryOutcomes = ['sync', 'ping', 'not about code', 'unknown repository', 'too large to read'] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** A secret that proves hooks. It is a `Secret`: printing it shows nothing. */
export interface HookSecret {
  /** `whs_` and 16 base62 characters */
  readonly id: string;
  /** The text that the provider has: `whsec_` and base64 of 32 bytes. */
  readonly reveal: () => string;
}

/** A hook with a valid proof. */
export interface ReceivedDelivery {
  readonly hook: HookAddress;
  readonly provider: ProviderName;
  /** the provider's id, at most 200 visible characters; a hash of the proof where there is none */
  readonly id: string;
  /** for people: `push`, `Tag Push Hook`, …; at most 80 printable characters */
  readonly event: string;
  /** the repositories to sync; [] for an outcome other than `sync` */
  readonly concerns: readonly RepositoryId[];
  readonly outcome: DeliveryOutcome;
}

export interface HookInbox {
  /**
   * The valid secrets, newest first: at most two of each owner. [] if there is no such hook. Rejects if their sealing
   * key is lost; a new secret mends that.
   */
  readonly secretsOf: (hook: HookAddress) => Promise<readonly HookSecret[]>;
  /** The registered git repositories that are cloned from one of these addresses. */
  readonly repositoriesAt: (addresses: readonly NormalizedCloneUrl[]) => Promise<readonly RepositoryId[]>;
  /** The registered git repositories of this owner at its forge. */
  readonly repositoriesBelow: (owner: NormalizedCloneUrl) => Promise<readonly RepositoryId[]>;
  /**
   * Stores the delivery and the syncs that it asks for, in one commit. `repeated`: this id was received in the last 24
   * hours, and nothing is asked for again. A repository that was removed in between is left out.
   */
  readonly receive: (delivery: ReceivedDelivery) => Promise<'accepted' | 'repeated'>;
}
