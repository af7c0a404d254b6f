// Lists all files of a git tree with their full paths. Folders are read level by level, each distinct folder once
// (object-store.ts caches them).

import { QuarantineError } from '../../contract/quarantine.ts';
import type { ContentFile } from '../../archive/content.ts';
import type { ObjectStore } from './object-store.ts';
import type { TreeEntry } from './objects.ts';

/**
 * More files or folders than a package can sensibly have; a few folders that hold one another many times over could
 * name billions.
 */
const maxEntries = 50_000;
const maxPathLength = 4096;

export interface TreeListing {
  readonly files: readonly ContentFile[];
  /** paths whose bytes are not UTF-8: shown with replacement characters, and never published */
  readonly undecodable: ReadonlySet<string>;
}

interface Folder {
  /** empty, or with a slash at its end */
  readonly prefix: string;
  readonly utf8: boolean;
  readonly entries: readonly TreeEntry[];
}

/** Throws QuarantineError. Submodules are left out, as `git archive` leaves them empty. */
export async function listTree(store: ObjectStore, rootOid: string): Promise<TreeListing> {
  const files: ContentFile[] = [];
  const undecodable = new Set<string>();
  let level: readonly Folder[] = [{ prefix: '', utf8: true, entries: await store.tree(rootOid) }];
  let folders = 0;
  while (level.length > 0) {
    for (const folder of level) takeFiles(folder, files, undecodable);
    folders += level.length;
    const below = level.flatMap(({ prefix, utf8, entries }) =>
      entries.flatMap((entry) =>
        entry.kind === 'tree' ? [{ path: prefix + entry.name, utf8: utf8 && entry.utf8, oid: entry.oid }] : [],
      ),
    );
    if (files.length > maxEntries || folders + below.length > maxEntries) {
      throw new QuarantineError(
        'UNSAFE_PATH',
        `The repository contains more than ${maxEntries} files and folders, the maximum for a package.`,
      );
    }
    level = await Promise.all(
      below.map(async ({ path, utf8, oid }) => ({
        prefix: `${checkLength(path)}/`,
        utf8,
        entries: await store.tree(oid),
      })),
    );
  }
  return { files, undecodable };
}

function takeFiles(folder: Folder, files: ContentFile[], undecodable: Set<string>): void {
  for (const entry of folder.entries) {
    if (entry.kind === 'tree' || entry.kind === 'submodule') continue;
    const path = folder.prefix + entry.name;
    files.push({ path, mode: entry.kind, identity: entry.oid });
    if (!folder.utf8 || !entry.utf8) undecodable.add(path);
  }
}

function checkLength(path: string): string {
  if (path.length <= maxPathLength) return path;
  throw new QuarantineError(
    'UNSAFE_PATH',
    `The path ${path.slice(0, 80)}… is longer than ${maxPathLength} characters.`,
  );
}
