// The feature `hooks`: webhooks of git hosts, each of which asks for a sync.

import { createHookFeature } from '../../proxy/hooks/receive/feature.ts';
import { createHookReceiver } from '../../proxy/hooks/receive/receive-hook.ts';
import { createFailedAuthLimiter } from '../../proxy/limits/failed-auth-limiter.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { Offers, OpenFeature } from './served-feature.ts';

export function open({ context, workerStatus }: ServingCore, { syncing }: Offers): OpenFeature {
  if (syncing === undefined) throw new Error('webhooks are opened behind repositories');
  const receive = createHookReceiver({
    inbox: syncing.inbox,
    wrongProofs: createFailedAuthLimiter(workerStatus?.size),
    randomBytes: context.randomBytes,
  });
  return { answers: createHookFeature(receive) };
}
