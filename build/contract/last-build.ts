// `build/last-build.json`: the outcome of the last build, for status requests. No decision depends on it: a killed
// build leaves the outcome of the build before.

import { isJsonObject } from './json.ts';

export const lastBuildPath = 'build/last-build.json';

export interface LastBuild {
  /** RFC 3339 UTC */
  readonly finished_at: string;
  /** `failed`: the build could not run, and the previous publication stays */
  readonly outcome: 'published' | 'unchanged' | 'failed';
  /** versions that were left out */
  readonly quarantined: number;
  /** sources that could not be read */
  readonly failed_sources: number;
}

export function formatLastBuild(last: LastBuild): string {
  return `${JSON.stringify(last, null, 1)}\n`;
}

/** undefined for an invalid text. */
export function parseLastBuild(text: string): LastBuild | undefined {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) return undefined;
  const { finished_at, outcome, quarantined, failed_sources } = json;
  if (typeof finished_at !== 'string' || typeof quarantined !== 'number' || typeof failed_sources !== 'number')
    return undefined;
  return outcome === 'published' || outcome === 'unchanged' || outcome === 'failed'
    ? { finished_at, outcome, quarantined, failed_sources }
    : undefined;
}
