// The pages about packages of other registries.

import type { MirrorReport } from '../../../mirror/mirror-report.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerMirrorOverview } from './mirror-overview.tsx';
import { registerStoredPackage } from './stored-package.tsx';

export interface MirrorPageServices {
  /** undefined: the server runs without the feature `mirror` */
  readonly mirrorReport: MirrorReport | undefined;
}

export function registerMirrorPages(pages: Pages, { mirrorReport }: MirrorPageServices): void {
  registerMirrorOverview(pages, mirrorReport);
  registerStoredPackage(pages, mirrorReport);
}
