// Output on a local file system: <data>/public, <data>/index and <data>/build, with staging below build/ so that a kill leaves nothing in the served
// tree. All three must be on one file system, since publishing is a rename.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { copyFile, link, open, readdir, readFile, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { Sha1 } from '../contract/digest.ts';
import { makeFolder } from './make-folder.ts';
import type { Area, FileFacts, Output } from './output.ts';
import { isMissing, withPath } from './storage-error.ts';

const parallelSyncs = 16;

export function createDiskOutput(dataDirectory: string): Output {
  const staging = join(dataDirectory, 'build', 'staging');
  const made = new Set<string>();
  const touched = new Set<string>();
  let counter = 0;
  const locate = (area: Area, path: string): string => join(dataDirectory, area, path);

  const folderFor = async (path: string): Promise<void> => {
    const folder = dirname(path);
    touched.add(folder);
    if (made.has(folder)) return;
    // a new folder is only there for good once the one above it is synced
    for (const level of await makeFolder(folder)) touched.add(level).add(dirname(level));
    made.add(folder);
  };
  const stagingPath = (): string => {
    if (!made.has(staging)) mkdirSync(staging, { recursive: true });
    made.add(staging);
    counter += 1;
    return join(staging, `${counter}-${randomUUID()}`);
  };

  return {
    read: (area, path) => orMissing(readFile(locate(area, path), 'utf8')),
    facts: (area, path) => orMissing(factsOf(locate(area, path))),
    sha1: (area, path) => orMissing(sha1Of(locate(area, path))),
    locate: (path) => locate('public', path),
    list: (area, folder) => listBelow(locate(area, ''), locate(area, folder)),
    stagingPath,
    stage: async (bytes) => {
      const path = stagingPath();
      await withPath(path, writeFile(path, bytes, { flag: 'wx' }));
      return { path };
    },
    settle: async (files) => {
      const limit = pLimit(parallelSyncs);
      await Promise.all(files.map((file) => limit(() => syncPath(file.path))));
    },
    publish: async (file, area, path, lastModified) => {
      const target = locate(area, path);
      await withPath(target, folderFor(target));
      if (lastModified !== undefined) await utimes(file.path, lastModified, lastModified);
      await withPath(target, rename(file.path, target));
    },
    alias: async (from, to) => {
      const target = locate('public', to);
      await withPath(target, folderFor(target));
      const second = stagingPath();
      await withPath(target, secondName(locate('public', from), second));
      await withPath(target, rename(second, target));
      // rename() of two names of one file does nothing at all and leaves both (rename(2)), hence:
      await rm(second, { force: true });
    },
    remove: async (area, path) => {
      const target = locate(area, path);
      const removed = await withPath(target, orMissing(unlink(target).then(() => true)));
      if (removed === true) touched.add(dirname(target));
    },
    barrier: async () => {
      const limit = pLimit(parallelSyncs);
      await Promise.all([...touched].map((folder) => limit(() => syncPath(folder))));
      touched.clear();
    },
    discard: async () => {
      await withPath(staging, rm(staging, { recursive: true, force: true }));
      made.delete(staging);
    },
  };
}

/** A hard link; a copy where the file system has none, or no more of them for this file. */
async function secondName(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isMissing(error)) throw error;
    await copyFile(from, to);
    await syncPath(to);
  }
}

async function syncPath(path: string): Promise<void> {
  const handle = await withPath(path, open(path, 'r'));
  try {
    await withPath(path, handle.sync());
  } finally {
    await handle.close();
  }
}

async function factsOf(path: string): Promise<FileFacts> {
  const found = await stat(path, { bigint: true });
  return { size: Number(found.size), lastModified: Number(found.mtimeNs / 1_000_000_000n), inode: found.ino };
}

async function sha1Of(path: string): Promise<Sha1> {
  const hash = createHash('sha1');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') as Sha1;
}

async function listBelow(root: string, folder: string): Promise<readonly string[]> {
  const entries = await orMissing(readdir(folder, { recursive: true, withFileTypes: true }));
  return (entries ?? [])
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}

async function orMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
