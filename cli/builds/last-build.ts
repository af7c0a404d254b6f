// Writes down how a build ended.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { formatLastBuild, lastBuildPath, type LastBuild } from '../../build/contract/last-build.ts';
import { BuildBusy, BuildRefused } from '../../build/contract/refusals.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { replaceDataFile } from '../io/replace-data-file.ts';

/**
 * `ended`: its report or its error. A build that was refused before its start is not recorded. False if the record
 * could not be written; the build itself is unaffected.
 */
export async function noteBuild(dataDirectory: string, ended: BuildReport | Error, now: Date): Promise<boolean> {
  if (ended instanceof BuildBusy || ended instanceof BuildRefused) return false;
  const path = join(dataDirectory, lastBuildPath);
  if (!existsSync(dirname(path))) return false;
  try {
    await replaceDataFile(path, formatLastBuild(lastBuildOf(ended, now)), { mode: 0o666, durable: false });
    return true;
  } catch {
    return false;
  }
}

function lastBuildOf(ended: BuildReport | Error, now: Date): LastBuild {
  const finished_at = now.toISOString();
  if (ended instanceof Error) return { finished_at, outcome: 'failed', quarantined: 0, failed_sources: 0 };
  return {
    finished_at,
    outcome: ended.published ? 'published' : 'unchanged',
    quarantined: ended.quarantined.length,
    failed_sources: ended.failed.length,
  };
}
