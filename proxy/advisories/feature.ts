// The feature `advisories`: the routes for `composer audit` and Composer's policies.

import { advisoriesPath, filtersPath, filterSummaryPath } from '../core/tree/root-addresses.ts';
import type { Feature, FeatureRoute } from '../core/protocol/feature.ts';
import type { AdvisoryAnswers, AdvisoryRoute } from './advisory-answers.ts';

export function createAdvisoryFeature(answers: AdvisoryAnswers): Feature {
  const routeTo = (methods: string, route: AdvisoryRoute): FeatureRoute => ({
    kind: route.kind,
    methods,
    open: false,
    answer: ({ incoming, token, nowMs, sendContinue }) => {
      sendContinue();
      return answers.answer(route, incoming, token?.view, nowMs);
    },
  });
  return {
    kinds: ['advisories', 'filters', 'filterSummary'],
    routeOf: (path, query) => {
      if (path === advisoriesPath) return routeTo('GET, HEAD, POST', { kind: 'advisories', query });
      if (path === filtersPath) return routeTo('POST', { kind: 'filters' });
      return path === filterSummaryPath ? routeTo('GET, HEAD', { kind: 'filterSummary' }) : undefined;
    },
  };
}
