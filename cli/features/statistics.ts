// The feature `statistics`: counts archives that are sent, and takes Composer's reports of installs.

import { createInstallReports } from '../../proxy/install-reports/install-reports.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open({ tree }: ServingCore, { packages, mirror }: FeatureOffers): OpenFeature {
  if (packages === undefined) throw new Error('statistics are opened behind packages');
  const answers = createInstallReports({
    files: tree.files,
    mirrored: mirror?.tree,
    onInstall: (name, version, ...by) => {
      packages.installs.count(name, version);
      packages.tokenCounts.count(name, version, [0, 1], ...by);
    },
  });
  return {
    offers: {
      onDownload: (name, version, ...by) => {
        packages.downloads.count(name, version);
        packages.tokenCounts.count(name, version, [1, 0], ...by);
      },
    },
    answers,
    advertises: ['notify-batch'],
  };
}
