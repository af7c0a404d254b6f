// The catalogue after a build with the setting `site`. The folder is refused before the build, and a catalogue that could
// not be written is a problem beside the report: the packages are published.

import type { BuildReport } from '../../build/contract/build-report.ts';
import { BuildBusy } from '../../build/contract/refusals.ts';
import { StorageError } from '../../build/output/storage-error.ts';
import { UnusableFile } from '../../build/shared/files/unusable-file.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
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
    if (serial === 0) return { document: {}, lines: [], problems: [] };
    try {
      const site = await writeSite(checked, config, context);
      return { document: { site }, lines: [describeSite(site)], problems: [] };
    } catch (error) {
      if (!isExpected(error)) throw error;
      const problem = `The packages are published, but the catalogue is not up to date: ${error.message}`;
      return { document: {}, lines: [], problems: [problem] };
    }
  };
}

function isExpected(error: unknown): error is Error {
  return error instanceof UnusableFile || error instanceof StorageError || error instanceof BuildBusy;
}
