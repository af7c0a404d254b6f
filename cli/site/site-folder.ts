// Refuses a folder that is not for a catalogue before anything is written: a web server shows everything in it.

import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ours, isBelow } from '../../build/sources/data-folder.ts';
import { isMissing, withPathSync } from '../../build/output/storage-error.ts';
import { listShortly } from '../../build/shared/text/list-shortly.ts';
import { UsageError } from '../io/usage-error.ts';
import { markerFolder } from './site-record.ts';

/**
 * The real path of the folder, which need not exist. `path` and `dataDirectory`: absolute. Throws UsageError for a
 * folder of the registry, one around it, and one with files of others.
 */
export function siteFolder(path: string, dataDirectory: string): string {
  const folder = realPathOf(path);
  if (folder === dirname(folder) || folder === resolve(homedir()))
    throw new UsageError(`The catalogue cannot be ${folder} itself. Name a folder of its own.`);
  refuseRegistry(folder, realPathOf(dataDirectory));
  refuseForeign(folder);
  return folder;
}

function refuseRegistry(folder: string, data: string): void {
  if (isBelow(data, folder))
    throw new UsageError(
      `The catalogue cannot be ${folder}: a web server would show the data folder ${data} in it. Name another folder.`,
    );
  const own = [...ours].map((name) => join(data, name)).find((place) => isBelow(folder, place));
  if (own !== undefined)
    throw new UsageError(
      `The catalogue cannot be ${folder}: ${own} belongs to the registry. Name a folder outside it.`,
    );
}

/** Files whose names begin with a dot, such as `.git`, may be there. */
function refuseForeign(folder: string): void {
  const entries = entriesOf(folder);
  if (entries === 'file') throw new UsageError(`The catalogue ${folder} is a file. Name a folder.`);
  const foreign = entries.filter((name) => !name.startsWith('.'));
  if (foreign.length > 0 && !entries.includes(markerFolder))
    throw new UsageError(
      `The folder ${folder} has files that Libretto did not write (${listShortly(foreign.toSorted())}). Name an empty ` +
        'or new folder for the catalogue.',
    );
}

function entriesOf(folder: string): readonly string[] | 'file' {
  return withPathSync(folder, () => {
    const facts = statSync(folder, { throwIfNoEntry: false });
    if (facts === undefined) return [];
    return facts.isDirectory() ? readdirSync(folder) : 'file';
  });
}

/** Links in the part of the path that exists are followed. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error) || path === dirname(path)) return path;
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new UsageError(`${path} is a broken symbolic link. Name another folder, or repair the link.`);
    return join(realPathOf(dirname(path)), basename(path));
  }
}
