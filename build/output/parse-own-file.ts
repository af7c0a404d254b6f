// Parses a file of this program. Damage is no error here: other files have the data, or the build stops if the data is
// missing. A file of a newer version is an error, because this version must not overwrite it.

import { NewerFormat } from '../contract/newer-format.ts';
import type { PackageName } from '../contract/name.ts';
import { indexPath } from '../contract/paths.ts';
import { BuildRefused, PackageDamaged } from '../contract/refusals.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from '../contract/serving-index.ts';
import type { Output } from './output.ts';

/**
 * undefined if the file is damaged. `path`: below the data folder. Throws BuildRefused, with NewerFormat as its cause,
 * for a file of a newer version.
 */
export function parseOwnFile<Parsed>(path: string, parse: () => Parsed): Parsed | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof NewerFormat)
      throw new BuildRefused(`${path}: ${error.message}; nothing was changed.`, { cause: error });
    return undefined;
  }
}

/** The serving index of a package; undefined if it is missing or damaged. Throws BuildRefused as parseOwnFile. */
export async function readOwnIndex(output: Pick<Output, 'read'>, name: PackageName): Promise<PackageIndex | undefined> {
  const text = await output.read('index', indexPath(name));
  return text === undefined ? undefined : parseOwnFile(`index/${indexPath(name)}`, () => parsePackageIndex(text));
}

/** The versions in the serving index of a package; empty if it is missing. Throws as parsePublishedIndex. */
export async function readOwnEntries(output: Pick<Output, 'read'>, name: PackageName): Promise<readonly IndexEntry[]> {
  const text = await output.read('index', indexPath(name));
  return text === undefined ? [] : parsePublishedIndex(name, text).versions;
}

/** The serving index of a package. Throws PackageDamaged with the file and the remedy, as well as BuildRefused. */
export function parsePublishedIndex(name: PackageName, text: string): PackageIndex {
  const path = `index/${indexPath(name)}`;
  const index = parseOwnFile(path, () => parsePackageIndex(text));
  if (index !== undefined) return index;
  throw new PackageDamaged(
    `${path} is damaged. Restore the file from a backup; or remove the file, and build/manifest.json ` +
      'unless index/_publication.json is lost, and run ' +
      '`libretto build`, which derives the index from the documents and the archives.',
  );
}
