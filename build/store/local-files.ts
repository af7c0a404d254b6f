// The files of a data folder that an object store holds as well. Caches, locks and staged files belong to their host
// alone, and so do state, keys and the mirror.

import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha1 } from '../contract/digest.ts';
import { kindOf, type ListedPath, type ObjectDigest } from '../contract/store-listing.ts';
import { isMissing } from '../output/storage-error.ts';

export interface LocalFile {
  readonly path: ListedPath;
  readonly size: number;
  /** epoch milliseconds, with fractions */
  readonly modified: number;
}

const folders = ['public', 'index', 'build', 'artifacts'];
const ownOfHost =
  /^(?:build\/(?:git|downloads|staging|adopt|receive|store|lock[^/]*|last-build\.json)|artifacts\/\.staging)$/;

/** Synchronous: one call for a file costs a few microseconds, and through the thread pool a hundred. */
export function listLocalFiles(dataDirectory: string): Record<'documents' | 'archives', readonly LocalFile[]> {
  const found = { documents: [] as LocalFile[], archives: [] as LocalFile[] };
  const walk = (folder: ListedPath): void => {
    for (const entry of entriesOf(join(dataDirectory, folder))) {
      const path = `${folder}/${entry.name}`;
      if (ownOfHost.test(path)) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) {
        const { size, mtimeMs } = lstatSync(join(dataDirectory, path));
        found[kindOf(path)].push({ path, size, modified: mtimeMs });
      }
    }
  };
  for (const folder of folders) walk(folder);
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export async function digestsOf(path: string): Promise<{ readonly sha256: ObjectDigest; readonly sha1: Sha1 }> {
  const [sha256, sha1] = [createHash('sha256'), createHash('sha1')];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    sha256.update(chunk);
    sha1.update(chunk);
  }
  return { sha256: sha256.digest('hex') as ObjectDigest, sha1: sha1.digest('hex') as Sha1 };
}
