// The feature `search`: Composer's searches and lists, over published and mirrored packages.

import { createSearchFeature } from '../../proxy/search/feature.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open(_core: ServingCore, { packages, mirror }: FeatureOffers): OpenFeature {
  if (packages === undefined) throw new Error('search is opened behind packages');
  return {
    answers: createSearchFeature(packages.lookupsWith(mirror?.catalogue)),
    advertises: ['search', 'list', 'providers-api'],
  };
}
