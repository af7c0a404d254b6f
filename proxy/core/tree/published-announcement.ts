// Reads the announcement for what it says of other files: which of them are there, and their rows.

import { publicationPath } from '../../../build/contract/paths.ts';
import { parsePublication, type Publication } from '../../../build/contract/publication.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import type { PublishedFiles } from './published-files.ts';

/** undefined for a damaged announcement, or one of a newer version. It then says nothing of other files. */
export async function readAnnouncement(files: PublishedFiles): Promise<Publication | undefined> {
  const bytes = await files.read(`index/${publicationPath}`).catch((error: unknown) => {
    if (error instanceof UnusableFile) return undefined;
    throw error;
  });
  try {
    return bytes === undefined ? undefined : parsePublication(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
