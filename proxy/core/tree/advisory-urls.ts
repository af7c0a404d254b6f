// Adds to packages.json the addresses for requests about the advisories and filter entries of many packages. A build
// cannot add them, since it cannot know that a service answers.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';

export const advisoriesPath = '/security-advisories';
export const filtersPath = '/filters';
export const filterSummaryPath = '/filters/summary.json';

/**
 * `base`: the address before the paths; undefined: no address is given, and Composer uses the documents alone. Adds
 * nothing if the build has no lists. `mirrors`: a summary would have to name every package of other registries, so it
 * is omitted, and Composer sends the names of its packages.
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
