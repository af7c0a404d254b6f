// Finds files that are only pointers into Git LFS: an archive holds the pointer, since nothing is fetched and no filter is run, and whoever installs
// it should not have to find that out. Looked for only where .gitattributes at or above the package's top name a filter.

import { compileFilters } from '../../archive/rules/filters.ts';
import type { JsonObject } from '../../contract/json.ts';
import { archiveExcludesOf } from '../../record/archive-excludes.ts';
import { QuarantineError } from '../quarantine.ts';
import { ancestorsOf, below, findFolder } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import { listPackageFiles, oidOf, type PackagePlace } from './package-files.ts';

/** Git LFS specification: a pointer is smaller than 1024 bytes and starts with its version. */
const maxPointerBytes = 1024;
const pointerStart = 'version https://git-lfs.github.com/spec/';
const maxAttributesBytes = 1024 * 1024;
/** Looked at and told of one version; one is enough to be wrong. */
const maxFiles = 100;
const maxTold = 3;

/** Paths, from the root of the repository, of pointers that the archive would hold; none where its files cannot be listed, which is reported elsewhere. */
export async function findLfsPointers(store: ObjectStore, place: PackagePlace, json: JsonObject, extraExcludes: readonly string[]): Promise<readonly string[]> {
  try {
    if (!(await namesFilter(store, place))) return [];
    const { files, attributes } = await listPackageFiles(store, place, [...archiveExcludesOf(json), ...extraExcludes]);
    const filterOf = compileFilters(attributes);
    const candidates = files.filter(({ path, mode }) => mode !== 'symlink' && filterOf(below(place.folder, path)) === 'lfs').slice(0, maxFiles);
    const found: string[] = [];
    for (const file of candidates) {
      const bytes = await store.smallBlob(oidOf(file), maxPointerBytes, file.path);
      if (bytes?.toString('latin1', 0, pointerStart.length) === pointerStart) found.push(below(place.folder, file.path));
    }
    return found.slice(0, maxTold);
  } catch (error) {
    if (error instanceof QuarantineError) return [];
    throw error;
  }
}

async function namesFilter(store: ObjectStore, { commit, folder }: PackagePlace): Promise<boolean> {
  const { tree } = await store.commit(commit);
  for (const directory of [...ancestorsOf(folder), folder]) {
    const oid = await findFolder(store, tree, directory);
    const entry = oid === undefined ? undefined : (await store.tree(oid)).find(({ name, kind }) => name === '.gitattributes' && kind !== 'tree' && kind !== 'submodule');
    if (entry === undefined) continue;
    const bytes = await store.sharedBlob(entry.oid, maxAttributesBytes, below(directory, entry.name));
    if (bytes?.includes('filter=lfs') === true) return true;
  }
  return false;
}
