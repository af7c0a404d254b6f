// Finds the private names of a data folder. The serving index has a file for each package that is or was published,
// until `prune`. The file exists before any document names the package. A package with a lost index stays private while
// a document, an archive, packages.json or the announcement has the name (I9). Each lookup reads the disk, so that a
// vendor is private from the moment of its first package.

import { opendirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { splitPackageName, type PackageName } from '../../../build/contract/name.ts';
import { indexPath, publicationPath, rootDocumentPath } from '../../../build/contract/paths.ts';
import { parsePublication } from '../../../build/contract/publication.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { sameStamp, stampFile, type FileStamp } from '../../../build/shared/files/file-stamp.ts';
import { isFileFault } from '../../../build/shared/files/unusable-file.ts';
import { createListedNames, type ListedNames } from './listed-names.ts';
import { hasDocument } from './missing-index.ts';
import type { PrivateNames } from './precedence.ts';

/**
 * The current private names. Rejects, or throws, if they are unknown: then no name may be requested from an upstream,
 * nor answered from one (I9).
 */
export type ReadPrivateNames = () => MaybeAsync<PrivateNames>;

const soThat = 'so the private names are unknown, and no other registry is used';

/**
 * The private names of a served data folder. They are unknown before the first publication, and while the announcement
 * or packages.json cannot be read (I9).
 */
export function createPrivateNames(
  dataDirectory: string,
  listed: ListedNames = createListedNames(dataDirectory),
): ReadPrivateNames {
  const path = join(dataDirectory, 'index', publicationPath);
  const onDisk = privateNamesIn(dataDirectory, listed);
  let names = onDisk;
  let understood: FileStamp | undefined;
  return () => {
    const stamp = stampFile(path);
    if (stamp === undefined)
      return { ...names, unknown: `nothing is published here yet, ${soThat}; run \`libretto build\`` };
    if (!sameStamp(stamp, understood)) {
      try {
        const { withdrawn = [] } = parsePublication(readFileSync(path, 'utf8'));
        names = eitherOf(onDisk, privateNamesOf(withdrawn));
      } catch (error) {
        return unusable(names, `index/${publicationPath}`, error instanceof Error ? error.message : String(error));
      }
      understood = stamp;
    }
    const fault = listed.fault();
    return fault === undefined ? names : unusable(names, `public/${rootDocumentPath}`, fault);
  };
}

function unusable(names: PrivateNames, path: string, reason: string): PrivateNames {
  return { ...names, unknown: `${path} cannot be used (${reason}), ${soThat}; run \`libretto verify\`` };
}

/** The private names of a data folder with or without a publication, used in addition to those of an origin. */
export function privateNamesIn(
  dataDirectory: string,
  listed: ListedNames = createListedNames(dataDirectory),
): PrivateNames {
  const index = join(dataDirectory, 'index');
  const exists = (path: string): boolean => orRefused(() => statSync(path, { throwIfNoEntry: false }) !== undefined);
  const holds = (folder: string, isOne: (entry: string) => boolean): boolean =>
    exists(folder) && orRefused(() => holdsEntry(folder, isOne));
  const isJson = (entry: string): boolean => entry.endsWith('.json');
  // `prune` leaves the folders of removed packages
  const hasArchive = (folder: string): boolean => holds(folder, (entry) => entry.endsWith('.zip'));
  const archives = join(dataDirectory, 'public/dist');
  return {
    has: (name) =>
      exists(join(index, indexPath(name))) ||
      listed.has(name) ||
      hasDocument(dataDirectory, name) ||
      hasArchive(join(archives, name)),
    hasVendor: (vendor) =>
      holds(join(index, vendor), isJson) ||
      listed.hasVendor(vendor) ||
      holds(join(dataDirectory, 'public/p2', vendor), isJson) ||
      holds(join(archives, vendor), (name) => hasArchive(join(archives, vendor, name))),
  };
}

/** A path that the system refuses to show counts as existing: its name stays private. */
function orRefused(look: () => boolean): boolean {
  try {
    return look();
  } catch (error) {
    if (isFileFault(error)) return true;
    throw error;
  }
}

/** Usually the first entry matches: a folder is read to its end only if no entry does. */
function holdsEntry(folder: string, isOne: (entry: string) => boolean): boolean {
  const entries = opendirSync(folder);
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) if (isOne(entry.name)) return true;
    return false;
  } finally {
    entries.closeSync();
  }
}

/** Exactly these. */
export function privateNamesOf(list: Iterable<PackageName>): PrivateNames {
  const names = new Set(list);
  const vendors = new Set([...names].map((name) => splitPackageName(name).vendor));
  return { has: (name) => names.has(name), hasVendor: (vendor) => vendors.has(vendor) };
}

/** The names that are private by either of them. */
export function eitherOf(one: PrivateNames, other: PrivateNames): PrivateNames {
  const unknown = one.unknown ?? other.unknown;
  return {
    has: (name) => one.has(name) || other.has(name),
    hasVendor: (vendor) => one.hasVendor(vendor) || other.hasVendor(vendor),
    ...(unknown === undefined ? {} : { unknown }),
  };
}
