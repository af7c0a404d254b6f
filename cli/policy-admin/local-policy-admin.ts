// The service for the policy of the registry on this host, for commands: opens what it reads, and closes that again.

import { openStateIfAny } from '../state/open-state.ts';
import type { FeedStatus } from '../../proxy/advisory-feeds/feed-lists.ts';
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
import { policySources, composePolicy } from '../policy/compose-policy.ts';
import { policyFeeds } from './feeds-of-policy.ts';
import { composePolicyAdmin } from './compose-admin.ts';
import { existsSync } from 'node:fs';
import { outsideLists } from '../../proxy/policy/apply/current-policy.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { PrivateNames } from '../../proxy/core/tree/precedence.ts';
import { feedsFolder } from '../advisory-feeds/feeds-folder.ts';
import { composeKeys } from '../compose/keys.ts';
import { version } from '../io/version.ts';
import { composeMirror } from '../mirror/compose-mirror.ts';
import { otherRepositories } from '../mirror/composer-repositories.ts';

// The copies of feeds in the data folder, for commands: their lists and their status. No feed is asked. A server that
// runs uses an accepted list within seconds.

interface LocalFeedsParts {
  readonly store: StateStore;
  readonly settings: Settings;
  readonly privateNames: () => Promise<PrivateNames>;
}

/** undefined: the registry has no feeds. Resolves after their copies are loaded. */
async function openLocalFeeds(config: Config, context: Context, { store, settings, privateNames }: LocalFeedsParts) {
  const folder = feedsFolder(config);
  if (!existsSync(folder)) return undefined;
  const { createFeeds } = await import('../../proxy/advisory-feeds/feeds.ts');
  const now = (): number => context.now().getTime();
  const { sealer } = composeKeys(config, context);
  const mirror = composeMirror(config, {
    settings,
    policy: composePolicy(config, { settings, store, now }),
    privateNames,
    environment: context.environment,
    others: otherRepositories({ config, environment: context.environment, state: store, sealer }),
    now,
    report: () => undefined,
  });
  const feeds = createFeeds({
    folder,
    osv: config.osvNames.value === 'off' ? undefined : { url: config.osvUrl.value },
    mirror: () => mirror.settings(),
    names: () => Promise.resolve([]),
    isLeader: () => false,
    allowAddresses: config.egressAllow.value,
    userAgent: `Libretto/${version}`,
    now,
    report: () => undefined,
  });
  await feeds.refresh(); // asks nobody, since this process does not lead
  const close = async (): Promise<void> => {
    await feeds.close();
    await mirror.close();
  };
  const lists = { lists: feeds.lists, learn: () => Promise.resolve() };
  // the same object while the lists are the same
  return { outside: outsideLists(() => lists), feeds, close };
}

export interface LocalPolicyAdmin {
  readonly policy: PolicyAdmin;
  /** the files of the published tree */
  readonly published: PublishedFiles;
  readonly privateNames: () => Promise<PrivateNames>;
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
  const names = await openPrivateNames(config, context);
  const tree = await openPublished(config, context);
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
    privateNames,
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

/** Opens the policy of a data folder for one question. Rejects with StateError, and with PolicyFileError. */
export async function withLocalPolicy<Answer>(
  config: Config,
  context: Context,
  ask: (policy: PolicyAdmin) => Promise<Answer>,
): Promise<Answer> {
  const state = await openStateIfAny(config);
  const here = await openLocalPolicyAdmin(config, context, state);
  try {
    return await ask(here.policy);
  } finally {
    await here.close();
    await state?.close();
  }
}

/** The published files of the data folder, or of the origin. */
async function openPublished(
  config: Config,
  context: Context,
): Promise<{ readonly published: PublishedFiles; readonly close: () => void }> {
  if (config.origin.value === undefined)
    return { published: createLocalPublishedFiles(config.data.value), close: () => undefined };
  const { openServedTree } = await import('../tree/served-tree.ts');
  return openServedTree(config, context);
}
