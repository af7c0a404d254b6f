// Folders of a commit: found by path, or by the patterns of a monorepo (`packages/*`). Paths are like `a/b`; '' is the
// root.

import { byteString } from '../../archive/rules/bytes.ts';
import { compileWildmatch } from '../../archive/rules/wildmatch.ts';
import type { ObjectStore } from './object-store.ts';

/** The folder's tree; undefined if there is no such folder. Throws QuarantineError. */
export async function findFolder(store: ObjectStore, rootTree: string, folder: string): Promise<string | undefined> {
  let tree: string | undefined = rootTree;
  for (const segment of folder === '' ? [] : folder.split('/')) {
    if (tree === undefined) return undefined;
    tree = (await store.tree(tree)).find(({ name, kind }) => name === segment && kind === 'tree')?.oid;
  }
  return tree;
}

/** `''`, `packages`, … : every folder that this one is in. */
export function ancestorsOf(folder: string): readonly string[] {
  const segments = folder === '' ? [] : folder.split('/');
  return segments.map((_, index) => segments.slice(0, index).join('/'));
}

export function below(folder: string, path: string): string {
  return folder === '' || path === '' ? folder + path : `${folder}/${path}`;
}

/**
 * The folders that match a pattern and have a file of this name, sorted. A pattern is a path whose segments may contain
 * `*`, `?` and `[…]`; `.` is the root itself. Throws QuarantineError.
 */
export async function matchFolders(
  store: ObjectStore,
  rootTree: string,
  patterns: readonly string[],
  file: string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    for (const { folder, tree } of await expand(store, rootTree, segmentsOf(pattern))) {
      if ((await store.tree(tree)).some(({ name, kind }) => name === file && kind !== 'submodule')) found.add(folder);
    }
  }
  return [...found].sort();
}

function segmentsOf(pattern: string): readonly string[] {
  return pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
}

interface Folder {
  readonly folder: string;
  readonly tree: string;
}

async function expand(store: ObjectStore, rootTree: string, segments: readonly string[]): Promise<readonly Folder[]> {
  let level: readonly Folder[] = [{ folder: '', tree: rootTree }];
  for (const segment of segments) {
    const matches = compileWildmatch(byteString(segment));
    const next: Folder[] = [];
    for (const { folder, tree } of level) {
      for (const { name, kind, oid, utf8 } of await store.tree(tree)) {
        if (kind === 'tree' && utf8 && (name === segment || matches(byteString(name))))
          next.push({ folder: below(folder, name), tree: oid });
      }
    }
    level = next;
  }
  return level;
}
