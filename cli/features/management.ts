// The feature `api`: the management API, and with a setting the exchange of ID tokens in the form of Artifactory.

import { createManagementFeature } from '../../proxy/manage/feature.ts';
import { createArtifactoryExchange } from '../../proxy/publishers/tokens/artifactory-exchange.ts';
import { sharedCountersUrl } from '../state/open-state.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open({ config }: ServingCore, { services }: FeatureOffers): OpenFeature {
  if (services === undefined) throw new Error('the API is opened behind its services');
  const answers = createManagementFeature(services.sessions, async () =>
    (await import('../../proxy/manage/management.ts')).createManagement(services),
  );
  const start = async (): Promise<void> => {
    if (sharedCountersUrl(config) !== undefined) await answers.prepare(); // as the console does
  };
  if (!config.artifactoryExchange.value) return { answers, start };
  const exchange = createArtifactoryExchange(services.oidc);
  return {
    start,
    answers: {
      ...answers,
      kinds: [...answers.kinds, ...exchange.kinds],
      routeOf: (path, query) => exchange.routeOf(path, query) ?? answers.routeOf(path, query),
    },
  };
}
