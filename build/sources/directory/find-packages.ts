// Finds the packages of a directory source: every folder with a composer.json that is not inside another package. The
// search by fast-glob stops at each package, so that the files of a package are not listed twice.

import { readdirSync, type Dirent } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import fastGlob from 'fast-glob';
import { describeFault } from '../../files/file-fault.ts';
import { isSearched } from './folder-rules.ts';

export interface PackageFolders {
  /** folders of packages, sorted; relative to the root, forward slashes, '' for the root itself */
  readonly folders: readonly string[];
  /** folders that the process may not read, so that their packages are unknown. `reason` in words. */
  readonly unreadable: readonly { readonly folder: string; readonly reason: string }[];
}

/** `root` must exist. `dataDirectory` is not entered. Both absolute and without symlinks. */
export function findPackages(root: string, dataDirectory: string): PackageFolders {
  const unreadable: { folder: string; reason: string }[] = [];
  const toFolder = (path: string): string => relative(root, path).split(sep).join('/');
  const list = (directory: string): Dirent[] => {
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      const composerJson = entries.find((entry) => entry.name === 'composer.json' && !entry.isDirectory());
      if (composerJson !== undefined) return [composerJson];
      return entries.filter(
        (entry) => entry.isDirectory() && isSearched(entry.name) && join(directory, entry.name) !== dataDirectory,
      );
    } catch (error) {
      unreadable.push({ folder: toFolder(directory), reason: describeFault(error) });
      return [];
    }
  };
  const found = fastGlob.globSync('**/composer.json', {
    cwd: root,
    followSymbolicLinks: false,
    // a composer.json that is a link or a FIFO marks a package too: the report then names the fault
    onlyFiles: false,
    objectMode: true,
    // the one of readdirSync's overloads that fast-glob calls
    fs: { readdirSync: list as unknown as typeof readdirSync },
  });
  const folders = found
    .filter(({ dirent }) => !dirent.isDirectory())
    .map(({ path }) => (path === 'composer.json' ? '' : dirname(path)));
  return { folders: folders.sort(), unreadable };
}
