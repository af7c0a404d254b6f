// The feature `api`: the management API.

import { createManagement } from '../../proxy/manage/management.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open(_core: ServingCore, { services }: FeatureOffers): OpenFeature {
  if (services === undefined) throw new Error('the API is opened behind its services');
  return { answers: createManagement(services) };
}
