// The feeds of a server: OSV, if the configuration names it, and the upstreams of the mirror. They are asked only while
// a rule of the policy reads lists.

import type { PackageName } from '../../build/contract/name.ts';
import { rootDocumentPath } from '../../build/contract/paths.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Log } from '../../proxy/core/observe/log.ts';
import { readsLists } from '../../proxy/policy/apply/current-policy.ts';
import type { PolicyReader } from '../../proxy/policy/apply/policy-reader.ts';
import type { FeedEvent } from '../../proxy/advisory-feeds/feed-event.ts';
import { createFeeds, type Feeds } from '../../proxy/advisory-feeds/feeds.ts';
import { parseNames, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { version } from '../io/version.ts';
import { feedsFolder } from './feeds-folder.ts';
import type { ServedMirror } from '../mirror/mirror-for-serving.ts';

export interface FeedSurroundings {
  readonly reader: PolicyReader;
  readonly published: PublishedFiles;
  readonly mirror: ServedMirror | undefined;
  readonly isLeader: boolean;
  readonly log: Log;
}

export function openPolicyFeeds(
  config: Config,
  context: Context,
  { reader, published, mirror, isLeader, log }: FeedSurroundings,
): Feeds {
  const now = (): number => context.now().getTime();
  const privateNames = createPrivateNames(published);
  const names = async (): Promise<readonly PackageName[]> => {
    const stored = (await mirror?.catalogue.stored(now()))?.map(({ name }) => name) ?? [];
    return [...(await privateNames.read()), ...stored];
  };
  const asked = config.osvNames.value;
  return createFeeds({
    folder: feedsFolder(config),
    osv:
      asked === 'off'
        ? undefined
        : { url: config.osvUrl.value, about: asked === 'all' ? undefined : privateNames.lacks },
    mirror: mirror === undefined ? undefined : () => mirror.mirror.settings(),
    areRead: () => andThen(reader.current(now()), ({ compiled }) => readsLists(compiled)),
    names,
    isLeader: () => isLeader,
    allowAddresses: config.egressAllow.value,
    userAgent: `Libretto/${version}`,
    now,
    report: (event) => logEvent(log, event),
  });
}

/** The names in packages.json. */
function createPrivateNames(published: PublishedFiles) {
  let known: ReadonlySet<PackageName> | undefined;
  const read = async (): Promise<ReadonlySet<PackageName>> => {
    known = new Set(parseNames(await published.read(`public/${rootDocumentPath}`)));
    return known;
  };
  return {
    read,
    /** True if no published package has this name. Rejects while the names are unknown. */
    lacks: (name: PackageName): MaybeAsync<boolean> =>
      known === undefined ? read().then((names) => !names.has(name)) : !known.has(name),
  };
}

function logEvent({ logger }: Log, event: FeedEvent): void {
  if (event.kind === 'feed-shrunk') logger.error({ feed: event }, 'a feed of the policy is much smaller than before');
  else if (event.kind === 'feed-recovered') logger.info({ feed: event }, 'a feed of the policy answers again');
  else if (event.copy === 'none')
    logger.error({ feed: event }, 'a feed of the policy fails, and has no copy: it blocks nothing now');
  else logger.warn({ feed: event }, 'a feed of the policy fails; its last good copy is in effect');
}
