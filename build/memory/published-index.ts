// Reads the serving index of one package for commands that change single versions. A lost or damaged index is told from
// a package that was never published. Changes nothing.

import type { PackageName } from '../contract/name.ts';
import { indexPath } from '../contract/paths.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import type { PackageIndex } from '../contract/serving-index.ts';
import { inspecting, recoverIndex } from '../documents/recover-index.ts';
import type { Output } from '../output/output.ts';
import { parsePublishedIndex } from '../output/parse-own-file.ts';
import { readTreeMemory } from './tree-memory.ts';

/**
 * undefined where nothing was published under the name. Throws PackageDamaged with the file and the way back where the
 * index is damaged, or lost while packages.json, documents or archives show that the package was published.
 */
export async function readPublishedIndex(output: Output, name: PackageName): Promise<PackageIndex | undefined> {
  const path = indexPath(name);
  const text = await output.read('index', path);
  if (text !== undefined) return parsePublishedIndex(name, text);
  const { isPublished, leftovers } = await readTreeMemory(output, '');
  const context = inspecting({ published: isPublished(name), leftovers: new Set(leftovers) });
  if ((await recoverIndex(output, name, context)) === undefined) return undefined;
  throw new PackageDamaged(
    `index/${path} is lost. Restore the file from a backup; or remove build/manifest.json and run \`libretto ` +
      'build`, which derives the index from the documents and the archives.',
  );
}
