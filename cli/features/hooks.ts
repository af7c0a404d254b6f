// The feature `hooks`: webhooks of git hosts, each of which asks for a sync.

import { createRefusals } from '../../proxy/hooks/refusals.ts';
import { createHookReceiver } from '../../proxy/hooks/receive/receive-hook.ts';
import { createFailedAuthLimiter } from '../../proxy/core/limits/failed-auth-limiter.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open({ context, log, store, workerStatus }: ServingCore, { syncing }: FeatureOffers): OpenFeature {
  if (syncing === undefined) throw new Error('webhooks are opened behind repositories');
  const refusals = createRefusals({
    state: store,
    now: () => context.now().getTime(),
    onError: (err) => log.logger.error({ err }, 'the counts of refused webhooks could not be stored'),
  });
  const answers = createHookReceiver({
    refusals,
    inbox: syncing.inbox,
    wrongProofs: createFailedAuthLimiter(workerStatus?.size),
    randomBytes: context.randomBytes,
  });
  return { answers, close: refusals.close };
}
