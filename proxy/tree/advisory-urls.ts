// Adds to packages.json the addresses at which Composer requests the advisories and filter entries of many packages at
// once. A build cannot add them, since it cannot know that a service answers.

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';

export const advisoriesPath = '/security-advisories';
export const filtersPath = '/filters';
export const filterSummaryPath = '/filters/summary.json';

/**
 * `base`: what comes before the paths; undefined: none are said, and Composer goes by the documents alone. Nothing
 * where the build says nothing of them. `mirrors`: a summary would have to hold every package elsewhere, so none is
 * said, and Composer asks about the packages it has.
 */
export function advisoryUrls(root: JsonObject, base: string | undefined, mirrors = false): JsonObject {
  if (base === undefined) return {};
  const { 'security-advisories': advisories, filter } = root;
  return {
    ...(isJsonObject(advisories)
      ? { 'security-advisories': { ...advisories, 'api-url': `${base}${advisoriesPath}` } }
      : {}),
    ...(isJsonObject(filter)
      ? {
          filter: {
            ...filter,
            ...(mirrors ? {} : { 'summary-url': `${base}${filterSummaryPath}` }),
            'api-url': `${base}${filtersPath}`,
          },
        }
      : {}),
  };
}
