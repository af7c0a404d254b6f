// Distinguishes a tree that lost packages.json or its announcement from a folder without any publication.

import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { lastBuildPath, parseLastBuild } from '../../build/contract/last-build.ts';
import { manifestPath, parseManifestSerial } from '../../build/contract/manifest-serial.ts';
import { NewerFormat } from '../../build/contract/newer-format.ts';
import { publicationPath, rootDocumentPath } from '../../build/contract/paths.ts';
import { parsePublication } from '../../build/contract/publication.ts';
import { UsageError } from '../io/usage-error.ts';
import { readPublishedTree } from './published-tree.ts';

const [announcement, root] = [`index/${publicationPath}`, `public/${rootDocumentPath}`];

/**
 * Returns the fault of the announcement or packages.json of a published tree, its place, and the remedy. undefined:
 * both can be read, or there is no publication, or the first publication is running.
 */
export function treeDamage(dataDirectory: string): string | undefined {
  const path = join(dataDirectory, announcement);
  try {
    parsePublication(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof NewerFormat) return `${path}: ${error.message}.`;
    return isThere(path) || wasPublished(dataDirectory)
      ? damage(dataDirectory, announcement, 'The file announces the last publication')
      : undefined;
  }
  return readPublishedTree(dataDirectory) === undefined
    ? damage(dataDirectory, root, 'The file lists the published packages')
    : undefined;
}

function damage(dataDirectory: string, path: string, purpose: string): string {
  const state = isThere(join(dataDirectory, path)) ? 'cannot be read' : 'is missing';
  return `${join(dataDirectory, path)} ${state}. ${purpose}. Run \`libretto verify\`: it names the damage and the repair.`;
}

/** Checks the other files of the tree. The first publication writes the manifest before packages.json. */
function wasPublished(dataDirectory: string): boolean {
  const serial = orUnknown(() => parseManifestSerial(readFileSync(join(dataDirectory, 'build', manifestPath), 'utf8')));
  const last = orUnknown(() => parseLastBuild(readFileSync(join(dataDirectory, lastBuildPath), 'utf8')));
  if ((serial ?? 0) > 1 || last?.outcome === 'published' || last?.outcome === 'unchanged') return true;
  return serial === undefined && (isThere(join(dataDirectory, root)) || hasIndex(join(dataDirectory, 'index')));
}

/**
 * Throws UsageError for a folder without a publication, such as a mistyped --data: a command that needs one creates no
 * folder there. A damaged tree passes, because the command repairs or names the damage.
 */
export function refuseUnpublished(dataDirectory: string): void {
  if (readPublishedTree(dataDirectory) === undefined && treeDamage(dataDirectory) === undefined)
    throw new UsageError(`Nothing is published in ${dataDirectory}. Name the data folder with --data.`);
}

/** True also for a dangling link. */
function isThere(path: string): boolean {
  return orUnknown(() => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

/** True if the folder of a vendor exists. Names of lists begin with an underscore. */
function hasIndex(folder: string): boolean {
  return orUnknown(() => readdirSync(folder))?.some((entry) => !entry.startsWith('_')) === true;
}

function orUnknown<Known>(look: () => Known | undefined): Known | undefined {
  try {
    return look();
  } catch {
    return undefined; // a missing or damaged file gives no evidence
  }
}
