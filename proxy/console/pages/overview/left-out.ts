// The versions that the last builds left out, each with its source as people know it: a repository with its page, or
// the path or address of another source.

import { resolve } from 'node:path';
import { publicationPath } from '../../../../build/contract/paths.ts';
import { parsePublication, type PublishedSource } from '../../../../build/contract/publication.ts';
import { parseQuarantined, quarantinedPath, type QuarantinedVersion } from '../../../../build/contract/quarantined.ts';
import { UnusableFile } from '../../../../build/shared/files/unusable-file.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { parsePublished, type PublishedFiles } from '../../../core/tree/published-files.ts';

export interface LeftOutVersion extends Omit<QuarantinedVersion, 'source'> {
  /** absolute path or URL; undefined: the source is forgotten */
  readonly source: string | undefined;
  /** the id of the repository that is the source; undefined: it is none, or was removed */
  readonly repository: string | undefined;
}

/** `dataDirectory`: undefined if it is on another host, where paths stay as they were recorded. */
export async function readLeftOut(
  published: PublishedFiles,
  repositories: readonly Pick<RepositoryDocument, 'id' | 'url'>[],
  dataDirectory: string | undefined,
): Promise<readonly LeftOutVersion[]> {
  const [versions, sources] = await Promise.all([
    parsePublished(published, `index/${quarantinedPath}`, parseQuarantined),
    readSources(published),
  ]);
  const locations = new Map(sources.map(({ id, location }) => [id, shownLocation(location, dataDirectory)]));
  const byUrl = new Map(repositories.map(({ id, url }) => [url, id]));
  return versions.map((version) => {
    const source = locations.get(version.source);
    return { ...version, source, repository: byUrl.get(source ?? null) };
  });
}

/** Empty while the announcement is damaged: the page about health says so. */
async function readSources(published: PublishedFiles): Promise<readonly PublishedSource[]> {
  try {
    return await parsePublished(published, `index/${publicationPath}`, (text) => parsePublication(text).sources);
  } catch (error) {
    if (error instanceof UnusableFile) return [];
    throw error;
  }
}

/** Recorded with the kind of the source, and a path from the data folder: `dir:../packages`, `git:https://…`. */
function shownLocation(location: string, dataDirectory: string | undefined): string {
  const place = /^(?:dir|git|artifact):(?!\/\/)(.+)$/s.exec(location)?.[1] ?? location;
  return dataDirectory !== undefined && place.startsWith('.') ? resolve(dataDirectory, place) : place;
}
