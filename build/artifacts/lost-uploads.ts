// An upload, and the withdrawal of one, build the folder of artifacts alone. A folder that lost its ZIPs, for example
// on an unmounted volume, would withdraw every published upload. Such a folder refuses both.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder, retiredPath } from '../contract/artifact-files.ts';
import { publicationPath } from '../contract/paths.ts';
import { parsePublication, type PublishedSource } from '../contract/publication.ts';
import { UploadsLost } from '../contract/refusals.ts';
import { listTreePackages } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import { readOwnEntries } from '../output/parse-own-file.ts';
import { listShortly } from '../shared/text/list-shortly.ts';
import type { ArtifactTree } from './artifact-tree.ts';
import type { ExaminedArtifact } from './examine-staged.ts';

/**
 * Throws UploadsLost if the folder has no ZIP, although versions other than `changed` are published from the folder
 * and were not withdrawn. Where the folder lost some ZIPs only, the upload withdraws their versions and names them.
 */
export async function refuseLostUploads(
  tree: ArtifactTree,
  changed: Pick<ExaminedArtifact, 'name' | 'reference'>,
): Promise<void> {
  if ((await readdir(tree.at(''))).some((name) => !name.startsWith('.'))) return;
  const output = createDiskOutput(tree.dataDirectory);
  const announced = await output.read('index', publicationPath);
  if (announced === undefined) return;
  const uploads = parsePublication(announced).sources.find(({ id }) => id === tree.source);
  if (uploads === undefined) return;
  for (const name of await listTreePackages(output)) {
    for (const entry of await readOwnEntries(output, name)) {
      if (entry.state !== 'published' || entry.source !== tree.source) continue;
      if (name === changed.name && entry.reference === changed.reference) continue;
      // an interrupted withdrawal has moved the ZIP there, and this build completes the withdrawal
      if (await tree.exists(retiredPath(name, entry.version_normalized, entry.reference))) continue;
      throw new UploadsLost(
        `${join(tree.dataDirectory, artifactsFolder)} has no ZIP, but ${name} ${entry.version} is published from it. ` +
          `Nothing was changed. Mount the folder, or restore it from a backup. ${forgettingAll(uploads)}`,
      );
    }
  }
}

/** The refusal of a withdrawal that would withdraw `lost` too: uploads whose ZIPs are gone. */
export function lostBeside(lost: readonly string[], tree: ArtifactTree): UploadsLost {
  return new UploadsLost(
    `${join(tree.dataDirectory, artifactsFolder)} lacks the ZIPs of ${listShortly(lost)}, which this withdrawal ` +
      'would withdraw too. Nothing was changed. Restore the ZIPs from a backup. To withdraw these versions, run `libretto ' +
      'build` first, with --allow-withdraw where a package loses its last version.',
  );
}

/** The id is exact: a location has another meaning where the working directory is not the data folder. */
function forgettingAll({ id, from }: PublishedSource): string {
  const command = `\`libretto build --forget ${id}\``;
  return from === 'configuration'
    ? `To withdraw all uploads, first remove the folder from the sources in libretto.json. Then run ${command}.`
    : `To withdraw all uploads, run ${command} first.`;
}
