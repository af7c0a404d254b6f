// An upload builds the folder of artifacts alone. A folder that lost its ZIPs, for example on an unmounted volume,
// would withdraw every published upload. Such a folder refuses the upload.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder, retiredPath } from '../contract/artifact-files.ts';
import { indexPath, publicationPath } from '../contract/paths.ts';
import { parsePublication } from '../contract/publication.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { listPackages } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import { parsePublishedIndex } from '../output/parse-own-file.ts';
import type { ArtifactTree } from './artifact-tree.ts';
import type { ExaminedArtifact } from './examine-staged.ts';

/**
 * Throws PackageDamaged if the folder has no ZIP, although versions other than `upload` are published from the folder
 * and were not withdrawn. Where the folder lost some ZIPs only, the upload withdraws their versions and names them.
 */
export async function refuseLostUploads(
  tree: ArtifactTree,
  upload: Pick<ExaminedArtifact, 'name' | 'reference'>,
): Promise<void> {
  if ((await readdir(tree.at(''))).some((name) => !name.startsWith('.'))) return;
  const output = createDiskOutput(tree.dataDirectory);
  const announced = await output.read('index', publicationPath);
  if (announced === undefined) return;
  const uploads = parsePublication(announced).sources.find(({ id }) => id === tree.source);
  if (uploads === undefined) return;
  for (const name of await listPackages(output)) {
    const text = await output.read('index', indexPath(name));
    for (const entry of text === undefined ? [] : parsePublishedIndex(name, text).versions) {
      if (entry.state !== 'published' || entry.source !== tree.source) continue;
      if (name === upload.name && entry.reference === upload.reference) continue;
      // an interrupted withdrawal has moved the ZIP there, and this build completes the withdrawal
      if (await tree.exists(retiredPath(name, entry.version_normalized, entry.reference))) continue;
      throw new PackageDamaged(
        `${join(tree.dataDirectory, artifactsFolder)} has no ZIP, but ${name} ${entry.version} is published from it. ` +
          'Mount the folder, or restore it from a backup. To withdraw all uploads, run `libretto build --forget ' +
          `${uploads.location}\` first. Nothing was published.`,
      );
    }
  }
}
