// Examines files below public/ that no document and no serving index names. An archive may be the only copy of a
// published version. So the advice about an archive is never its removal.

import { parsePackageName, type PackageName } from '../contract/name.ts';
import { indexPath, providerPath } from '../contract/paths.ts';
import type { Fault, VerifyContext } from './verify-fault.ts';
import { purgedFileFault } from './verify-tombstones.ts';

const archivePattern = /^dist\/([^/]+\/[^/]+)\/.+\.zip$/;

/** Packages that have an archive below public/. Archives of an unfinished publication do not count. Unsorted. */
export function packagesOfArchives(
  files: readonly string[],
  { leftovers }: Pick<VerifyContext, 'leftovers'>,
): readonly PackageName[] {
  const unfinished: ReadonlySet<string> = leftovers;
  const names = files.flatMap((file) => (unfinished.has(file) ? [] : (packageOfArchive(file) ?? [])));
  return [...new Set(names)];
}

function packageOfArchive(file: string): PackageName | undefined {
  return parsePackageName(archivePattern.exec(file)?.[1] ?? '');
}

/** `known`: paths below public/ that something names. `faults`: found so far. */
export async function foreignFiles(
  files: readonly string[],
  known: ReadonlySet<string>,
  faults: readonly Fault[],
  context: VerifyContext,
): Promise<readonly Fault[]> {
  const unsure = unsureFolders(faults);
  const foreign: Fault[] = [];
  for (const file of files) {
    if (known.has(file)) continue;
    const purged = await purgedFileFault(file, context);
    if (purged !== undefined) foreign.push(purged);
    else if (!unsure.has(packageFolder(file))) foreign.push(foreignFile(file));
  }
  return foreign;
}

/**
 * Folders of archives whose damaged index or document does not list its archives: the damage is the fault, not the
 * archive.
 */
function unsureFolders(faults: readonly Fault[]): ReadonlySet<string> {
  return new Set(faults.flatMap(({ name, path }) => (isOfPackage(name, path) ? [`dist/${name}/`] : [])));
}

/** True if the path is the index or a document of the package. */
function isOfPackage(name: string | undefined, path: string): name is PackageName {
  const parsed = parsePackageName(name ?? '');
  if (parsed === undefined) return false;
  const documents = (['stable', 'dev'] as const).map((kind) => `public/${providerPath(parsed, kind)}`);
  return [`index/${indexPath(parsed)}`, ...documents].includes(path);
}

/** `dist/<vendor>/<package>/` of a file in that folder. */
function packageFolder(file: string): string {
  return `${file.split('/', 3).join('/')}/`;
}

function foreignFile(path: string): Fault {
  const name = packageOfArchive(path);
  const advice =
    name === undefined
      ? 'Remove it if it is not yours; a build never does.'
      : `If ${name} never published this archive, move it to another place; a build never does.`;
  return {
    code: 'FOREIGN_FILE',
    path: `public/${path}`,
    message: `This file is in the served tree, but no document and no serving index names it. ${advice}`,
  };
}
