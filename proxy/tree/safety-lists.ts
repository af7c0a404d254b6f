// Caches the published advisories and filter lists until the next publication.

import { parseSafety, safetyPath, noSafety, type AdvisoryLists } from '../../build/contract/safety-lists.ts';
import { createPublishedListCache, type PublishedListCache } from './published-list-cache.ts';
import { parsePublished, type PublishedFiles } from './published-files.ts';

export type PublishedAdvisories = PublishedListCache<AdvisoryLists>;

export function createPublishedAdvisories(files: PublishedFiles): PublishedAdvisories {
  return createPublishedListCache(
    files,
    async () => (await parsePublished(files, `index/${safetyPath}`, (text) => [parseSafety(text)]))[0] ?? noSafety,
  );
}
