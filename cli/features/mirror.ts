// The feature `mirror`: packages of other registries, behind those published here.

import type { ServingCore } from '../core/serving-core.ts';
import { openServedMirror } from '../mirror/mirror-for-serving.ts';
import type { OpenFeature } from './served-feature.ts';

export function open({ config, context, store: state, ...core }: ServingCore): OpenFeature {
  const mirror = openServedMirror(config, context, { ...core, state });
  return { offers: { mirror }, families: mirror.families, close: mirror.close };
}
