// Caches the published advisories and filter lists until the next publication. A file that the announcement counts and
// that is not there is lost: then nobody gets an empty list.

import {
  advisoryListsPath,
  describeLostAdvisories,
  noAdvisories,
  parseAdvisoryLists,
  type AdvisoryLists,
} from '../../../build/contract/advisory-lists.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import { readAnnouncement, createPublishedListCache, type PublishedListCache } from './published-lists.ts';
import { parsePublished, type PublishedFiles } from './published-files.ts';

export type PublishedAdvisories = PublishedListCache<AdvisoryLists>;

export function createPublishedAdvisories(files: PublishedFiles): PublishedAdvisories {
  return createPublishedListCache(files, () => readAdvisoryLists(files));
}

/** Rejects with UnusableFile for a damaged or lost file. */
export async function readAdvisoryLists(files: PublishedFiles): Promise<AdvisoryLists> {
  const lists = await readFile(files);
  if (lists !== undefined) return lists;
  const publication = await readAnnouncement(files);
  if (publication?.advised === undefined) return noAdvisories;
  // a build writes the file before its announcement
  const later = await readFile(files);
  if (later !== undefined) return later;
  throw new UnusableFile(
    `index/${advisoryListsPath} cannot be used: ${describeLostAdvisories(publication.advised)} Run ` +
      '`libretto build` with the libretto.json that names them, which writes it again, or restore it from a backup',
  );
}

async function readFile(files: PublishedFiles): Promise<AdvisoryLists | undefined> {
  return (await parsePublished(files, `index/${advisoryListsPath}`, (text) => [parseAdvisoryLists(text)]))[0];
}
