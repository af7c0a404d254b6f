// The feature `api`: the management API, and with a setting the exchange of ID tokens in the form of Artifactory.

import { createManagement } from '../../proxy/manage/management.ts';
import { createArtifactoryExchange } from '../../proxy/publishers/tokens/artifactory-exchange.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open({ config }: ServingCore, { services }: FeatureOffers): OpenFeature {
  if (services === undefined) throw new Error('the API is opened behind its services');
  const answers = createManagement(services);
  if (!config.artifactoryExchange.value) return { answers };
  const exchange = createArtifactoryExchange(services.oidc);
  return {
    answers: {
      ...answers,
      kinds: [...answers.kinds, ...exchange.kinds],
      routeOf: (path, query) => exchange.routeOf(path, query) ?? answers.routeOf(path, query),
    },
  };
}
