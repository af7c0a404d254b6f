// The files that a working copy of an object store has about itself, below build/store/ of its data folder.
//
//   base.json   the head that the copy equals, its ETag, and whether its documents are at their own paths
//   listing/    the objects of that listing, by digest
//   archives    changes of archives since that need no bytes: a removed path a line, or a path, a tab, and the archive
//               whose bytes it has now
//   changing    the copy may differ from base.json
//   empty       the folder had no registry before a first publication: what it has is a copy, or unpublished
//   inspected/  archives that pages show; a publication empties it, since it may purge a version
//   id          names this copy in the lease of a projection

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuildRefused } from '../contract/refusals.ts';
import type { ListedPath } from '../contract/store-listing.ts';

export const storeFolder = 'build/store';
export const basePath = `${storeFolder}/base.json`;
export const listingFolder = `${storeFolder}/listing`;
export const changedArchivesPath = `${storeFolder}/archives`;
export const changingPath = `${storeFolder}/changing`;
export const emptyPath = `${storeFolder}/empty`;
export const inspectedFolder = `${storeFolder}/inspected`;
export const idPath = `${storeFolder}/id`;

/** Whether a data folder is the working copy of an object store. */
export function isWorkingCopy(dataDirectory: string): boolean {
  return existsSync(join(dataDirectory, basePath));
}

/** Throws BuildRefused for a copy of another store than `name`, which is empty: the archives are at the other one. */
export function refuseOtherCopy(dataDirectory: string, name: string): void {
  const base = isWorkingCopy(dataDirectory) ? readFileSync(join(dataDirectory, basePath), 'utf8') : '';
  const other = /"store":"([^"]*)"/.exec(base)?.[1];
  if (other === undefined || other === name) return;
  throw new BuildRefused(
    `${dataDirectory} is a copy of ${other} without its archives, and ${name} is empty. ` +
      'Copy all objects there first, or use an empty data folder.',
  );
}

/** Path → the archive whose bytes it has now; null: removed. Changes of archives since the copy was made. */
export function changedArchives(dataDirectory: string): Map<ListedPath, ListedPath | null> {
  const path = join(dataDirectory, changedArchivesPath);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  return new Map(lines.map((line) => line.split('\t')).map(([to = '', from = null]) => [to, from]));
}
