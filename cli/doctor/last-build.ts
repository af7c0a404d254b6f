// Checks how the last build on this data folder ended. A sound tree does not show that its sources are out of reach.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { lastBuildPath, parseLastBuild } from '../../build/contract/last-build.ts';
import { counted } from '../io/output.ts';
import { warning, type Finding } from './finding.ts';

/** No finding without a fault: a build that never ran is the check `tree`. */
export async function checkLastBuild(dataDirectory: string): Promise<readonly Finding[]> {
  const text = await readFile(join(dataDirectory, lastBuildPath), 'utf8').catch(() => undefined);
  const last = text === undefined ? undefined : parseLastBuild(text);
  if (last === undefined) return [];
  const advice = 'Run `libretto build`: it names the reason.';
  if (last.outcome === 'failed')
    return [warning('build', `The last build (${last.finished_at}) failed. What was published before stays.`, advice)];
  if (last.failed_sources === 0) return [];
  const sources = counted(last.failed_sources, 'source');
  return [warning('build', `The last build (${last.finished_at}) could not read ${sources}.`, advice)];
}
