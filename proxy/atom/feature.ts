// The feature `feeds`: the routes of the Atom feeds of published versions, which a token of any kind may read.

import type { Feature, FeatureRoute } from '../core/protocol/feature.ts';
import { maxProviderLength, nameInPath } from '../core/protocol/route.ts';
import type { FeedRoute, AtomFeeds } from './atom-feeds.ts';

const releasesPath = '/feeds/releases.atom';
const packagePattern = /^\/feeds\/([A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*)\.atom$/;

export function createAtomFeature(feeds: AtomFeeds): Feature {
  const routeTo = (route: FeedRoute): FeatureRoute => ({
    kind: 'feed',
    methods: 'GET, HEAD',
    open: false,
    answer: ({ token, incoming: { headers }, nowMs }) =>
      feeds.answer(
        route,
        {
          view: token?.view,
          acceptEncoding: headers['accept-encoding'],
          ifNoneMatch: headers['if-none-match'],
        },
        nowMs,
      ),
  });
  return {
    kinds: ['feed'],
    routeOf: (path, query) => {
      if (path === releasesPath) return routeTo({ name: undefined, query });
      const raw = path.length > maxProviderLength ? undefined : packagePattern.exec(path)?.[1];
      const name = raw === undefined ? undefined : nameInPath(raw);
      return name === undefined ? undefined : routeTo({ name, query });
    },
  };
}
