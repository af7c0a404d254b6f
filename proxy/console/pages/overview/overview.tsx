// The page that people see first.

import type { Pages } from '../../frame/pages.ts';
import { OverviewPage } from './overview-page.tsx';
import { readOverview, type OverviewServices } from './read-overview.ts';

export function registerOverviewPage(pages: Pages, services: OverviewServices): void {
  pages.page({
    path: '/overview',
    operation: 'getStatus',
    show: async (request) => {
      const overview = await readOverview(services, request);
      return {
        title: 'Overview',
        section: 'overview',
        content: <OverviewPage {...{ overview, may: request.may, nowMs: request.nowMs }} />,
      };
    },
  });
}
