// Removes archives with purged bytes outside the tree: uploaded ZIPs, retired ZIPs, unfinished uploads, and fetched
// dists of inline packages.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { artifactPath, artifactsFolder, retiredFolder, stagingFolder } from '../contract/artifact-files.ts';
import type { PurgedVersion } from '../contract/purged.ts';
import type { DistLabel } from '../contract/paths.ts';
import { isMissing, withPath } from '../output/storage-error.ts';
import { syncPath } from '../output/sync-path.ts';
import { archiveReference } from '../archive/zip-admission/ready-archive.ts';

/**
 * The reference of an uploaded or fetched archive is the beginning of its SHA-256, and so identifies the archive after
 * its removal too.
 */
export async function sweepArchives(dataDirectory: string, rows: readonly PurgedVersion[]): Promise<void> {
  const references = new Set(
    rows.flatMap(({ reference, sha256 }) => [reference, ...(sha256 === null ? [] : [archiveReference(sha256)])]),
  );
  const artifacts = join(dataDirectory, artifactsFolder);
  const artifactFolders = rows.map(({ name, version }) =>
    dirname(join(artifacts, artifactPath(name, version as DistLabel))),
  );
  const sweep = async (folder: string, digestOf: (file: string) => Promise<string | undefined>): Promise<void> =>
    removeFrom(folder, async (file) => {
      const sha256 = await digestOf(file);
      return sha256 !== undefined && references.has(archiveReference(sha256));
    });
  const folders = new Set([join(artifacts, stagingFolder), join(artifacts, retiredFolder), ...artifactFolders]);
  for (const folder of folders) await sweep(folder, sha256Of);
  await sweep(join(dataDirectory, 'build/downloads'), async (file) => /\.([0-9a-f]{64})\.zip$/.exec(file)?.[1]);
}

/**
 * Durable before it resolves. A folder without such files is synced too: an earlier sweep may have removed them and
 * died before its sync.
 */
async function removeFrom(folder: string, isPurged: (file: string) => Promise<boolean>): Promise<void> {
  const files = await filesIn(folder);
  if (files === undefined) return;
  for (const file of files) if (await isPurged(file)) await withPath(file, rm(file, { force: true }));
  await syncPath(folder);
}

/** undefined: there is no such folder. */
async function filesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder, { withFileTypes: true })).flatMap((entry) =>
      entry.isFile() ? [join(folder, entry.name)] : [],
    );
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** undefined: the file no longer exists. */
async function sha256Of(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
