// Removes the rest of purged versions outside the tree: from history, the builder's memory, caches and uploaded ZIPs. A
// missing file counts as removed, so that an interrupted sweep can be repeated as a whole (I21).

import { join, dirname } from 'node:path';
import { formatSourceMemory, memoryPath, readMemory } from '../memory/source-memory.ts';
import type { PublishContext } from './run.ts';
import { gitMirrorFolder, sweepMirror } from '../sources/git/mirror-folder.ts';
import { sweepHistory } from './sweep-history.ts';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { artifactPath, artifactsFolder, retiredFolder, stagingFolder } from '../contract/artifact-files.ts';
import type { PurgedVersion } from '../contract/purged.ts';
import type { DistLabel } from '../contract/paths.ts';
import { isMissing, withPath } from '../output/storage-error.ts';
import { syncPath } from '../output/sync-path.ts';
import { archiveReference } from '../archive/zip-admission/ready-archive.ts';

// Removes archives with purged bytes outside the tree: uploaded ZIPs, retired ZIPs, unfinished uploads, and fetched
// dists of inline packages.

/**
 * The reference of an uploaded or fetched archive is the beginning of its SHA-256, and so identifies the archive after
 * its removal too.
 */
async function sweepArchives(dataDirectory: string, rows: readonly PurgedVersion[]): Promise<void> {
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
  // archives of an adoption that did not end: it fetches them again
  await rm(join(dataDirectory, 'build/adopt'), { recursive: true, force: true });
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

type Sweep = Pick<PublishContext, 'choice' | 'output' | 'dataDirectory' | 'purged' | 'now'>;

/** Under the build's lock, once the publication without them is announced. */
export async function sweepPurged(run: Sweep): Promise<void> {
  await sweepHistory(run.output, run.purged);
  await sweepArchives(run.dataDirectory, run.purged.rows);
  await forgetSources(run);
  await sweepClones(run);
}

/**
 * Makes the next build read these sources again, examine these packages, and report the purged contents that they still
 * have.
 */
async function forgetSources({ output, purged }: Sweep): Promise<void> {
  for (const id of new Set(purged.rows.flatMap(({ source }) => source ?? []))) {
    const known = await readMemory(output, id);
    if (known === undefined) continue;
    const names = purged.rows.flatMap(({ name, source }) =>
      source === id && known.packages[name] !== undefined ? [[name, '']] : [],
    );
    const file = await output.stage(
      formatSourceMemory({
        ...known,
        memory: { ...known.memory, fingerprint: '' },
        packages: { ...known.packages, ...(Object.fromEntries(names) as Record<string, string>) },
      }),
    );
    await output.settle([file]);
    await output.publish(file, 'build', memoryPath(id));
  }
  await output.barrier();
}

/**
 * Removes copies of remote repositories, because a copy keeps the dropped objects of its remote until it is rebuilt. A
 * copy with a running fetch stays.
 */
async function sweepClones({ choice, dataDirectory, purged, now }: Sweep): Promise<void> {
  const ids = new Set(purged.rows.flatMap(({ source }) => source ?? []));
  for (const { spec } of [...choice.read, ...choice.left]) {
    if (!ids.has(spec.id) || !('url' in spec.place)) continue;
    await sweepMirror(gitMirrorFolder(join(dataDirectory, 'build/git'), spec.place.url), now, true);
  }
}
