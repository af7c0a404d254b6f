// Finds the ZIPs and tars of a folder at any depth, and the composer.json files beside them. The search skips the data
// folder, and files and folders whose name starts with a dot. Symbolic links are not followed.

import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { describeFault } from '../../files/file-fault.ts';
import { descriptionFileOf, descriptionSuffix, type DescriptionFile } from './described-zip.ts';

export interface ArchivePaths {
  /** relative to the root, forward slashes, sorted */
  readonly paths: readonly string[];
  /** archives of other kinds */
  readonly passedOver: readonly string[];
  /** archive → the composer.json beside it */
  readonly described: ReadonlyMap<string, DescriptionFile>;
  /** descriptions of no archive */
  readonly idle: readonly string[];
  /** folders that the process may not read; `reason` in words */
  readonly unreadable: readonly { readonly folder: string; readonly reason: string }[];
}

/** Both absolute and without symlinks. */
export function findArchives(root: string, dataDirectory: string): ArchivePaths {
  const paths: string[] = [];
  const passedOver: string[] = [];
  const descriptions = new Set<string>();
  const unreadable: { folder: string; reason: string }[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const listing = listFolder(join(root, folder));
    if (typeof listing === 'string') {
      unreadable.push({ folder, reason: listing });
      continue;
    }
    for (const entry of listing) {
      if (entry.name.startsWith('.')) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (/\.(?:zip|tar|gz|tgz)$/i.test(entry.name)) paths.push(path);
        else if (entry.name.endsWith(descriptionSuffix)) descriptions.add(path);
        else if (/\.(?:t?bz2?|t?xz|t?zst|lzma|rar|7z|phar|jar)$/i.test(entry.name)) passedOver.push(path);
      } else if (join(root, path) !== dataDirectory) open.push(path);
    }
  }
  return { paths: paths.sort(), passedOver: passedOver.sort(), ...matched(paths, descriptions), unreadable };
}

function matched(paths: readonly string[], files: ReadonlySet<string>): Pick<ArchivePaths, 'described' | 'idle'> {
  const described = new Map(
    paths.flatMap((path) => {
      const file = descriptionFileOf(path, (candidate) => files.has(candidate));
      return file === undefined ? [] : [[path, file] as const];
    }),
  );
  const used = new Set(Array.from(described.values(), ({ path }) => path));
  return { described, idle: [...files].filter((path) => !used.has(path)).sort() };
}

/** The folder's entries, or why they cannot be had. */
function listFolder(folder: string): readonly Dirent[] | string {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return describeFault(error);
  }
}
