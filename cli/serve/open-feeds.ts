// Opens the feeds of the policy behind the features, since they ask the upstreams of the mirror.

import type { Feeds } from '../../proxy/advisory-feeds/feeds.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { ServedMirror } from '../mirror/mirror-for-serving.ts';

const notListed = 'packages of other registries cannot be listed now; the next page with such a list tries again';

/**
 * The policy reads the lists of these feeds. The module is loaded here, since it has libraries of its own. undefined:
 * there is nobody to ask.
 */
export async function openFeeds(core: ServingCore, mirror: ServedMirror | undefined): Promise<Feeds | undefined> {
  if (mirror === undefined && core.config.osvNames.value === 'off') return undefined;
  const { openPolicyFeeds } = await import('../advisory-feeds/policy-feeds.ts');
  const { config, context, isLeader, log, policy, tree } = core;
  const feeds = openPolicyFeeds(config, context, {
    reader: policy.reader,
    published: tree.published,
    mirror,
    isLeader,
    log,
  });
  policy.use(feeds);
  // here, since it judges by these lists; later, the first person would wait for it
  let isClosing = false;
  mirror?.catalogue.lists(context.now().getTime()).catch((err: unknown) => {
    if (!isClosing) log.logger.warn({ err }, notListed);
  });
  core.closing.add(() => {
    isClosing = true;
    return feeds.close();
  });
  return feeds;
}
