// The advisories and filter lists of what is published, in memory as of the last publication.

import { parseSafety, safetyPath, noSafety, type SafetyLists } from '../../build/contract/safety-lists.ts';
import { createAsPublished, type AsPublished } from './published-list-cache.ts';
import { parsePublished, type PublishedFiles } from './published-files.ts';

export type PublishedSafety = AsPublished<SafetyLists>;

export function createPublishedSafety(files: PublishedFiles): PublishedSafety {
  return createAsPublished(
    files,
    async () => (await parsePublished(files, `index/${safetyPath}`, (text) => [parseSafety(text)]))[0] ?? noSafety,
  );
}
