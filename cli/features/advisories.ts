// The feature `advisories`: answers `composer audit` and Composer's policies about many packages in one request.

import { createAdvisoryAnswers } from '../../proxy/advisories/advisory-answers.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open({ tree, advisories }: ServingCore, { mirror }: FeatureOffers): OpenFeature {
  return {
    answers: createAdvisoryAnswers({ files: tree.files, advisories, mirrored: mirror?.tree }),
    advertises: ['security-advisories'],
  };
}
