// The feature `repositories`: reads registered repositories when their interval is over.

import { settingOf } from '../../proxy/settings/settings.ts';
import { composeKeys } from '../compose/keys.ts';
import { composeSyncing } from '../compose/sync.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { OpenFeature } from './served-feature.ts';

export function open({ config, context, store, settings, log }: ServingCore): OpenFeature {
  const syncing = composeSyncing(config, context, {
    state: store,
    sealer: composeKeys(config, context).sealer,
    retainedJobs: settingOf(settings, 'retention.jobs'),
    parallel: settingOf(settings, 'sync.parallel'),
    onError: (err) => log.logger.error({ err }, 'a repository could not be kept in sync'),
  });
  return {
    offers: { syncing },
    start: async () => {
      // a sync builds, and with an origin that is another host's
      if (config.origin.value === undefined) await syncing.schedule.start();
    },
    close: syncing.close,
  };
}
