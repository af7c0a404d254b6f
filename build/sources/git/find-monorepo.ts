// The advice for a repository without a composer.json in its root: the packages in its folders, and the source to write
// for them.

import { isSearched } from '../directory/folder-rules.ts';
import { below } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { Refs } from './refs.ts';
import type { GitSourceOptions } from './scan-context.ts';

/** More than a sensible repository has. Reading them takes seconds. */
const maxFolders = 10_000;

/** '' if no folder has a composer.json. Throws QuarantineError and GitFailure. */
export async function monorepoAdvice(
  store: ObjectStore,
  { head, branches, tags }: Refs,
  { location, subdirectories }: Pick<GitSourceOptions, 'location' | 'subdirectories'>,
): Promise<string> {
  const named = 'branch' in head ? branches.find(({ name }) => name === head.branch) : undefined;
  const ref = named ?? branches[0] ?? tags.at(-1);
  const commit = ref === undefined ? undefined : await store.peel(ref.peeled ?? ref.oid);
  if (subdirectories !== undefined || commit === undefined) return '';
  const { found, all } = await packagesIn(store, (await store.commit(commit)).tree);
  const rest = all ? '' : ` Only the first ${maxFolders} folders were searched for packages.`;
  if (found.length === 0) return rest;
  const place = location.kind === 'url' ? { url: location.url } : { path: location.path };
  return (
    `${rest} Packages are in folders below (${found.length}). To publish them, write into libretto.json: ` +
    `${JSON.stringify({ sources: [{ type: 'git', ...place, subdirectories: patternsOf(found) }] })}`
  );
}

/** The folders with a composer.json, level by level, without those in one another. `all`: no folder is unread. */
async function packagesIn(store: ObjectStore, rootTree: string): Promise<{ found: readonly string[]; all: boolean }> {
  const found: string[] = [];
  const folders = [{ folder: '', tree: rootTree }];
  for (const { folder, tree } of folders) {
    const entries = await store.tree(tree);
    if (folder !== '' && entries.some(({ name, kind }) => name === 'composer.json' && kind !== 'submodule'))
      found.push(folder);
    else
      for (const { name, kind, oid, utf8 } of entries)
        if (kind === 'tree' && utf8 && isSearched(name) && folders.length <= maxFolders)
          folders.push({ folder: below(folder, name), tree: oid });
  }
  return { found: found.sort(), all: folders.length <= maxFolders };
}

/** `packages/*` for several folders in `packages`. */
function patternsOf(folders: readonly string[]): readonly string[] {
  const parents = folders.map((folder) => folder.replace(/[^/]*$/, ''));
  const isShared = (parent: string): boolean =>
    parent !== '' && parents.indexOf(parent) !== parents.lastIndexOf(parent);
  return [...new Set(folders.map((folder, at) => (isShared(parents[at] ?? '') ? `${parents[at]}*` : folder)))];
}
