// The advice for a repository without a composer.json in its root: the packages in its folders, and the source to write
// for them.

import { isSearched } from '../directory/folder-rules.ts';
import { matchFolders } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { Refs } from './refs.ts';
import type { GitSourceOptions } from './scan-context.ts';

const levels = ['*', '*/*', '*/*/*'];

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
  const all = await matchFolders(store, (await store.commit(commit)).tree, levels, 'composer.json');
  const searched = all.filter((folder) => folder.split('/').every(isSearched));
  const found = searched.filter((folder) => !searched.some((other) => folder.startsWith(`${other}/`)));
  if (found.length === 0) return '';
  const place = location.kind === 'url' ? { url: location.url } : { path: location.path };
  return (
    ` Packages are in folders below (${found.length}). To publish them, write into libretto.json: ` +
    `${JSON.stringify({ sources: [{ type: 'git', ...place, subdirectories: patternsOf(found) }] })}`
  );
}

/** `packages/*` for several folders in `packages`. */
function patternsOf(folders: readonly string[]): readonly string[] {
  const parents = folders.map((folder) => folder.replace(/[^/]*$/, ''));
  const isShared = (parent: string): boolean =>
    parent !== '' && parents.indexOf(parent) !== parents.lastIndexOf(parent);
  return [...new Set(folders.map((folder, at) => (isShared(parents[at] ?? '') ? `${parents[at]}*` : folder)))];
}
