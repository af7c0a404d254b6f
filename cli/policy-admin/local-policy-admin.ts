// The service for the policy of the registry on this host, for commands: opens what it reads, and closes that again.

import type { FeedStatus } from '../../proxy/advisory-feeds/feed-lists.ts';
import { createBlockedVersions, type BlockedVersions } from '../../proxy/policy/admin/blocked-versions.ts';
import { createPolicyReader } from '../../proxy/policy/apply/policy-reader.ts';
import type { PolicyAdmin } from '../../proxy/policy/admin/policy-admin.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createLocalPublishedFiles, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { composeSettings } from '../compose/settings.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openPrivateNames } from '../mirror/private-names-reader.ts';
import { policySources } from '../policy/compose-policy.ts';
import { openLocalFeeds } from './local-feeds.ts';
import { policyFeeds } from './feeds-of-policy.ts';
import { composePolicyAdmin } from './compose-admin.ts';

export interface LocalPolicyAdmin {
  readonly policy: PolicyAdmin;
  /** the files of the published tree */
  readonly published: PublishedFiles;
  readonly blockedVersions: BlockedVersions;
  /** The status of the feeds, by their copies here. Empty for a registry without feeds. */
  readonly feeds: () => readonly FeedStatus[];
  /** leaves the state open */
  readonly close: () => Promise<void>;
}

/** `state` undefined: the registry has none yet. */
export async function openLocalPolicyAdmin(
  config: Config,
  context: Context,
  state: StateStore | undefined,
): Promise<LocalPolicyAdmin> {
  const store = state ?? createMemoryStore();
  const names = await openPrivateNames(config);
  const tree = await openPublished(config);
  const settings = composeSettings(config, context, store);
  const now = (): number => context.now().getTime();
  const privateNames = async () => names.read();
  const here = await openLocalFeeds(config, context, { store, settings, privateNames });
  const sources = policySources(config, {
    settings,
    store,
    now,
    ...(here === undefined ? {} : { outside: here.outside }),
  });
  const reader = createPolicyReader(sources);
  return {
    published: tree.published,
    blockedVersions: createBlockedVersions(reader),
    policy: composePolicyAdmin(config, context, {
      store,
      settings,
      sources,
      reader,
      published: tree.published,
      privateNames,
      feeds: here === undefined ? undefined : policyFeeds(() => here.feeds, createAuditedStore({ store, now })),
    }),
    feeds: () => here?.feeds.statuses() ?? [],
    close: async () => {
      await here?.close();
      tree.close();
      names.close();
    },
  };
}

/** The published files of the data folder, or of the origin. */
async function openPublished(
  config: Config,
): Promise<{ readonly published: PublishedFiles; readonly close: () => void }> {
  if (config.origin.value === undefined)
    return { published: createLocalPublishedFiles(config.data.value), close: () => undefined };
  const { openServedTree } = await import('../tree/served-tree.ts');
  return openServedTree(config, { notice: () => undefined, onNewer: () => undefined });
}
