// The feature `device`: the metadata of the device flow. Its operations are part of the API, and its page of the
// console.

import { originOf } from '../../proxy/console/request/visit.ts';
import { createDeviceMetadata } from '../../proxy/device/metadata-feature.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { ServingCore } from '../core/serving-core.ts';
import { trustedProxiesOf } from '../core/trusted-proxies.ts';
import type { OpenFeature } from './served-feature.ts';

export function open({ config }: ServingCore): OpenFeature {
  const rules = { publicUrl: publicUrlOf(config)?.url, trustedProxies: trustedProxiesOf(config) };
  return { answers: createDeviceMetadata({ originOf: (incoming) => originOf(rules, incoming) }) };
}
