// The catalogue after a build with the setting `site`. The folder is refused before the build, and the report names the
// catalogue.

import type { BuildReport } from '../../build/contract/build-report.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { orProblem } from './or-problem.ts';
import { siteFolder } from './site-folder.ts';
import { describeSite, writeSite, type SiteReport } from './write-site.ts';

/** Parts of the output of the build. */
export interface SiteOutcome {
  /** empty: no catalogue is configured, nothing is published yet, or there was a problem */
  readonly document: { readonly site?: SiteReport };
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

/** Throws UsageError for an unsafe folder. `folder`: as configured. */
export function siteAfterBuild(
  folder: string,
  config: Config,
  context: Context,
): (report: BuildReport) => Promise<SiteOutcome> {
  const checked = siteFolder(folder, config.data.value);
  return async ({ serial }) => {
    const attempt = await orProblem(async () => (serial === 0 ? undefined : writeSite(checked, config, context)));
    if ('problem' in attempt) return { document: {}, lines: [], problems: [attempt.problem] };
    if (attempt.site === undefined) return { document: {}, lines: [], problems: [] };
    return { document: { site: attempt.site }, lines: [describeSite(attempt.site)], problems: [] };
  };
}
