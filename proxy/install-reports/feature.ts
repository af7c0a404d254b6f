// The feature that takes Composer's reports of installs (`notify-batch`).

import type { Feature } from '../core/protocol/feature.ts';
import type { InstallReports } from './install-reports.ts';

export function createInstallReportFeature(reports: InstallReports): Feature {
  return {
    kinds: ['downloads'],
    routeOf: (path) =>
      path !== '/downloads'
        ? undefined
        : {
            kind: 'downloads',
            methods: 'POST',
            open: false,
            answer: ({ incoming, token, nowMs, sendContinue }) => {
              sendContinue();
              return reports.answer(incoming, token ?? {}, nowMs);
            },
          },
  };
}
