// Finds the private names in the serving index. The index has a file for each package that is or was published, until
// `prune`. The file exists before any document names the package. Each lookup reads the disk, so that a vendor is
// private from the moment of its first package.

import { opendirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { splitPackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath, publicationPath } from '../../build/contract/paths.ts';
import { parsePublication } from '../../build/contract/publication.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { sameStamp, stampFile, type FileStamp } from '../../build/shared/files/file-stamp.ts';
import { isFileFault } from '../../build/shared/files/unusable-file.ts';
import { hasDocument } from './missing-index.ts';
import type { PrivateNames } from './precedence.ts';

/**
 * The current private names. Rejects, or throws, if they are unknown: then no name may be requested from an upstream,
 * nor answered from one (I9).
 */
export type ReadPrivateNames = () => MaybeAsync<PrivateNames>;

const soThat = 'so the private names are unknown, and no other registry is used';

/**
 * Those of a data folder that is served: unknown before the first publication, and while what announces it cannot be
 * read (I9).
 */
export function createPrivateNames(dataDirectory: string): ReadPrivateNames {
  const path = join(dataDirectory, 'index', publicationPath);
  const names = privateNamesIn(dataDirectory);
  let understood: FileStamp | undefined;
  return () => {
    const stamp = stampFile(path);
    if (stamp === undefined)
      return { ...names, unknown: `nothing is published here yet, ${soThat}; run \`libretto build\`` };
    if (sameStamp(stamp, understood)) return names;
    try {
      parsePublication(readFileSync(path, 'utf8'));
    } catch (error) {
      return {
        ...names,
        unknown:
          `index/${publicationPath} cannot be used (${error instanceof Error ? error.message : String(error)}), ` +
          `${soThat}; run \`libretto build\``,
      };
    }
    understood = stamp;
    return names;
  };
}

/** Those that a data folder knows of, whether anything is published in it or not: beside those of an origin. */
export function privateNamesIn(dataDirectory: string): PrivateNames {
  const index = join(dataDirectory, 'index');
  const exists = (path: string): boolean => orRefused(() => statSync(path, { throwIfNoEntry: false }) !== undefined);
  const holdsSome = (folder: string): boolean => exists(folder) && orRefused(() => holdsJson(folder));
  return {
    // a package whose index was lost stays private by its documents
    has: (name) => exists(join(index, indexPath(name))) || hasDocument(dataDirectory, name),
    // `prune` leaves the folder of a vendor whose last package it removed
    hasVendor: (vendor) => holdsSome(join(index, vendor)) || holdsSome(join(dataDirectory, 'public/p2', vendor)),
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

/** Mostly the first entry is one: a folder is read to its end only where it holds none. */
function holdsJson(folder: string): boolean {
  const entries = opendirSync(folder);
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync())
      if (entry.name.endsWith('.json')) return true;
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
