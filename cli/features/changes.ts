// The feature `changes`: the feed of changed documents, for registries that mirror this one.

import { createChangeFeed } from '../../proxy/changes/change-feed.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { OpenFeature } from './served-feature.ts';

export function open({ tree, policy }: ServingCore): OpenFeature {
  return {
    answers: createChangeFeed({ files: tree.files, policy: policy.releases }),
    advertises: ['metadata-changes-url'],
  };
}
