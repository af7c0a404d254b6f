// The copies of feeds in the data folder, for commands: their lists and their status. No feed is asked. A server that
// runs uses an accepted list within seconds.

import { existsSync } from 'node:fs';
import type { FeedLists } from '../../proxy/advisory-feeds/feed-lists.ts';
import type { Feeds } from '../../proxy/advisory-feeds/feeds.ts';
import { noOutsideLists, type OutsideLists } from '../../proxy/policy/apply/current-policy.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { PrivateNames } from '../../proxy/core/tree/precedence.ts';
import { feedsFolder } from '../advisory-feeds/feeds-folder.ts';
import { composeKeys } from '../compose/keys.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { version } from '../io/version.ts';
import { composeMirror } from '../mirror/compose-mirror.ts';
import { otherRepositories } from '../mirror/composer-repositories.ts';
import { composePolicy } from '../policy/compose-policy.ts';

export interface LocalFeeds {
  /** The same object while the lists are the same. */
  readonly outside: () => OutsideLists;
  readonly feeds: Feeds;
  readonly close: () => Promise<void>;
}

export interface LocalFeedsParts {
  readonly store: StateStore;
  readonly settings: Settings;
  readonly privateNames: () => Promise<PrivateNames>;
}

/** undefined: the registry has no feeds. Resolves after their copies are loaded. */
export async function openLocalFeeds(
  config: Config,
  context: Context,
  { store, settings, privateNames }: LocalFeedsParts,
): Promise<LocalFeeds | undefined> {
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
  return { outside: outsideOf(feeds), feeds, close };
}

function outsideOf(feeds: Feeds): () => OutsideLists {
  let [of, lists]: [FeedLists | undefined, OutsideLists] = [undefined, noOutsideLists];
  return () => {
    const latest = feeds.lists();
    if (latest !== of) [of, lists] = [latest, { ...latest, lookUp: () => Promise.resolve() }];
    return lists;
  };
}
