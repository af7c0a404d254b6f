// The feature `search`: the routes of Composer's `search`, `list` and `providers-api`, which a token of any kind may
// read.

import { maxProviderLength, nameInPath } from '../core/protocol/route.ts';
import type { Feature, FeatureRoute } from '../core/protocol/feature.ts';
import type { LookupRoute, Lookups } from './lookups.ts';

const providersPattern = /^\/providers\/([A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*)\.json$/;

export function createSearchFeature(lookups: Lookups): Feature {
  const routeTo = (route: LookupRoute): FeatureRoute => ({
    kind: route.kind,
    methods: 'GET, HEAD',
    open: false,
    answer: ({ token, incoming, nowMs }) =>
      lookups.answer(route, { view: token?.view, acceptEncoding: incoming.headers['accept-encoding'] }, nowMs),
  });
  return {
    kinds: ['search', 'list', 'providers'],
    routeOf: (path, query) => {
      if (path === '/search.json') return routeTo({ kind: 'search', query });
      if (path === '/list.json') return routeTo({ kind: 'list', query });
      const raw = path.length > maxProviderLength ? undefined : providersPattern.exec(path)?.[1];
      const name = raw === undefined ? undefined : nameInPath(raw);
      return name === undefined ? undefined : routeTo({ kind: 'providers', name });
    },
  };
}
