// Caches the published advisories and filter lists until the next publication.

import {
  parseAdvisoryLists,
  advisoryListsPath,
  noAdvisories,
  type AdvisoryLists,
} from '../../build/contract/advisory-lists.ts';
import { createPublishedListCache, type PublishedListCache } from './published-list-cache.ts';
import { parsePublished, type PublishedFiles } from './published-files.ts';

export type PublishedAdvisories = PublishedListCache<AdvisoryLists>;

export function createPublishedAdvisories(files: PublishedFiles): PublishedAdvisories {
  return createPublishedListCache(
    files,
    async () =>
      (await parsePublished(files, `index/${advisoryListsPath}`, (text) => [parseAdvisoryLists(text)]))[0] ??
      noAdvisories,
  );
}
