// Finds published uploads whose ZIP is gone from the folder of uploads, for example with an unmounted volume. Compares
// names only, and changes nothing.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactPath, artifactsFolder, retiredPath } from '../contract/artifact-files.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { parseDistLabel } from '../contract/paths.ts';
import { listTreePackages, readPublication } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import { readOwnEntries } from '../output/parse-own-file.ts';
import { isMissing, withPath } from '../output/storage-error.ts';
import { parseSource } from '../sources/spec.ts';

export interface PublishedUploads {
  /** the id of the folder as a source */
  readonly source: string;
  /** the number of published versions from the folder */
  readonly published: number;
  /** `acme/hello 1.0.0`: the versions without a ZIP under the name that an upload gives it */
  readonly missing: readonly string[];
  /** ZIPs with other names, which people put there: each may be one of the missing versions */
  readonly others: number;
}

/** undefined: the tree announces no uploads. Throws PackageDamaged for a damaged serving index. */
export async function readPublishedUploads(dataDirectory: string): Promise<PublishedUploads | undefined> {
  const folder = join(dataDirectory, artifactsFolder);
  const source = parseSource(`artifact:${folder}`, dataDirectory, dataDirectory).id;
  const output = createDiskOutput(dataDirectory);
  const announced = await readPublication(output);
  if (announced?.sources.some(({ id }) => id === source) !== true) return undefined;
  const files = new Set(await filesBelow(folder));
  // a rollback publishes these versions without a ZIP
  const held = new Set((announced.undone ?? []).map((one) => `${one.name} ${one.version_normalized}`));
  const isHeld = (name: string, entry: IndexEntry): boolean => held.has(`${name} ${entry.version_normalized}`);
  const known = new Set<string>();
  const missing: string[] = [];
  let published = 0;
  for (const name of await listTreePackages(output)) {
    for (const entry of await readOwnEntries(output, name)) {
      const label = parseDistLabel(entry.version);
      const path = 'label' in label ? artifactPath(name, label.label) : '';
      known.add(path);
      if (entry.state !== 'published' || entry.source !== source || isHeld(name, entry)) continue;
      published += 1;
      // an interrupted withdrawal moved the ZIP there, and the next build completes the withdrawal
      const isRetired = files.has(retiredPath(name, entry.version_normalized, entry.reference));
      if (!files.has(path) && !isRetired) missing.push(`${name} ${entry.version}`);
    }
  }
  const others = [...files].filter((path) => /^[^.].*\.zip$/i.test(path) && !known.has(path)).length;
  return { source, published, missing, others };
}

/** Relative to `folder`, which may be missing. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const reading = readdir(folder, { recursive: true }).catch((error: unknown) =>
    isMissing(error) ? [] : Promise.reject(error as Error),
  );
  return withPath(folder, reading);
}
