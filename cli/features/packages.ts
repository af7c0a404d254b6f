// Published packages for people: the catalogue, texts and counts behind searches, statistics and the management API.

import { settingOf } from '../../proxy/settings/settings.ts';
import { composePackages } from '../compose/packages.ts';
import { CloseSteps } from '../core/close-steps.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { OpenFeature } from './served-feature.ts';

export function open({ config, context, store, tree, settings, log, tombstones }: ServingCore): OpenFeature {
  const packages = composePackages(config, context, {
    state: store,
    files: tree.files,
    published: tree.published,
    tombstones,
    retention: settingOf(settings, 'retention.statistics_days'),
    countedBy: settingOf(settings, 'statistics.by'),
    onError: (err) => log.logger.error({ err }, 'downloads could not be stored; the server tries again'),
    onCut: (sentence) => log.logger.warn(sentence),
    onUnrendered: (err) =>
      log.logger.warn({ err }, 'a README or CHANGELOG could not be rendered, and is shown as plain text'),
  });
  const closing = new CloseSteps();
  closing.add(packages.tokenCounts.close);
  closing.add(packages.installs.close);
  closing.add(packages.downloads.close);
  return {
    offers: { packages },
    close: () => closing.run(),
  };
}
