// The feature `repositories`: reads registered repositories when their interval is over, and looks for new ones of
// connected owners.

import { settingOf } from '../../proxy/settings/settings.ts';
import { composeConnecting, composeRefreshSchedule } from '../compose/connections.ts';
import { composeKeys } from '../compose/keys.ts';
import { composeSyncing } from '../compose/sync.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { OpenFeature } from './served-feature.ts';

export function open({ config, context, store, settings, log }: ServingCore): OpenFeature {
  const { sealer } = composeKeys(config, context);
  const syncing = composeSyncing(config, context, {
    state: store,
    sealer,
    retainedJobs: settingOf(settings, 'retention.jobs'),
    parallel: settingOf(settings, 'sync.parallel'),
    onError: (err) => log.logger.error({ err }, 'a repository could not be kept in sync'),
  });
  const connecting = composeConnecting(config, context, { state: store, sealer, installsHooks: true });
  const refreshes = composeRefreshSchedule(context, store, connecting.refresher, (err) =>
    log.logger.error({ err }, 'a connection could not be refreshed'),
  );
  return {
    offers: { syncing, connecting },
    start: async () => {
      // a sync builds, and with an origin that is another host's
      if (config.origin.value !== undefined) return;
      await syncing.schedule.start();
      refreshes.start();
    },
    close: async () => {
      await refreshes.stop();
      await syncing.close();
    },
  };
}
