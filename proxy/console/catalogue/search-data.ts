// The packages as the search of the catalogue reads them. It is a script and no JSON document, because a page that was
// opened as a file may load scripts and fetch nothing. Pure.

import type { PublishedRow } from '../pages/packages/list-columns.tsx';

/** The name of the file below the folder of the assets. */
export const searchDataFile = 'packages.js';

/** `rows`: sorted by name. Sets the global `packages`; only JSON stands behind it. */
export function searchData(rows: readonly PublishedRow[]): string {
  return `globalThis.packages = [\n${rows.map((row) => JSON.stringify(foundPackage(row))).join(',\n')}\n];\n`;
}

/** What search.js shows of a package, and searches. Empty texts and lists are left out. */
function foundPackage({ summary, hasAdvisories, isLatestAdvised, isMalware }: PublishedRow) {
  const { name, description, keywords, type, latest_version: latest, updated_at: published, abandoned } = summary;
  return {
    name,
    ...(description === null ? {} : { description }),
    ...(keywords.length === 0 ? {} : { keywords }),
    latest,
    type,
    published,
    ...(abandoned === false ? {} : { abandoned: true }),
    ...(hasAdvisories ? { advisory: isLatestAdvised ? 'latest' : 'other' } : {}),
    ...(isMalware ? { malware: true } : {}),
  };
}
