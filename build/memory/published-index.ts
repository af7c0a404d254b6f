// Reads the serving index of one package for commands that change single versions. The reader distinguishes a lost or
// damaged index from a package that was never published. Changes nothing.

import type { PackageName } from '../contract/name.ts';
import { indexPath } from '../contract/paths.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import type { PackageIndex } from '../contract/serving-index.ts';
import { inspecting, recoverIndex } from '../documents/recover-index.ts';
import type { Output } from '../output/output.ts';
import { parsePublishedIndex } from '../output/parse-own-file.ts';
import { readTreeMemory } from './tree-memory.ts';

/**
 * undefined if nothing was published under the name. Throws PackageDamaged with the file and the remedy for a damaged
 * index. The same holds for a lost index, if packages.json, documents or archives prove the publication of the package.
 */
export async function readPublishedIndex(output: Output, name: PackageName): Promise<PackageIndex | undefined> {
  const path = indexPath(name);
  const text = await output.read('index', path);
  if (text !== undefined) return parsePublishedIndex(name, text);
  const { isPublished, leftovers } = await readTreeMemory(output, '');
  const context = inspecting({ published: isPublished(name), leftovers: new Set(leftovers) });
  if ((await recoverIndex(output, name, context)) === undefined) return undefined;
  throw new PackageDamaged(
    `index/${path} is lost. Restore the file from a backup; or remove build/manifest.json, ` +
      'unless index/_publication.json is lost, and run `libretto build`, which derives the index from the documents and the archives.',
  );
}
