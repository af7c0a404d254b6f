// Output on a local file system: <data>/public, <data>/index and <data>/build, with staging below build/ so that a kill
// leaves nothing in the served tree (I4). All three must be on one file system, since publishing is a rename.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, link, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Sha1 } from '../contract/digest.ts';
import { makeFolder } from './make-folder.ts';
import type { Area, FileFacts, Output } from './output.ts';
import { isMissing, StorageError, withPath } from './storage-error.ts';
import { syncPath } from './sync-path.ts';

const parallelSyncs = 16;

export function createDiskOutput(dataDirectory: string): Output {
  const staging = join(dataDirectory, 'build', 'staging');
  const made = new Set<string>();
  // build/ itself may be new: whoever took its lock has made it
  const touched = new Set<string>([dataDirectory]);
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
    if (!made.has(staging)) makeStaging(staging);
    made.add(staging);
    counter += 1;
    return join(staging, `${counter}-${randomUUID()}`);
  };

  const nameAgain = async (from: string, target: string): Promise<void> => {
    await withPath(target, folderFor(target));
    const second = stagingPath();
    await withPath(target, secondName(from, second));
    await withPath(target, rename(second, target));
    // rename() of two names of one file does nothing at all and leaves both (rename(2)), hence:
    await withPath(second, rm(second, { force: true }));
  };

  return {
    // At once: the way through the thread pool costs several times what reading a small file does, and a build may have
    // thousands.
    read: (area, path) => orMissing(readNow(locate(area, path))),
    facts: (area, path) => orMissing(factsOf(locate(area, path))),
    sha1: (area, path) => orMissing(sha1Of(locate(area, path))),
    locate: (path) => locate('public', path),
    list: (area, folder) => listBelow(locate(area, ''), locate(area, folder)),
    stagingPath,
    stage: async (bytes) => {
      const path = stagingPath();
      await withPath(path, writeNew(path, bytes));
      return { path };
    },
    settle: async (files) => {
      await syncAll(files.map(({ path }) => path));
    },
    publish: async (file, area, path, lastModified) => {
      const target = locate(area, path);
      await withPath(target, folderFor(target));
      if (lastModified !== undefined) await withPath(file.path, utimes(file.path, lastModified, lastModified));
      await withPath(target, rename(file.path, target));
    },
    alias: (from, to) => nameAgain(locate('public', from), locate('public', to)),
    keep: (area, from, to) => nameAgain(locate(area, from), locate('build', to)),
    remove: async (area, path) => {
      const target = locate(area, path);
      const removed = await withPath(target, orMissing(unlink(target).then(() => true)));
      if (removed === true) touched.add(dirname(target));
    },
    barrier: async () => {
      await syncAll([...touched]);
      touched.clear();
    },
    discard: async () => {
      await withPath(staging, rm(staging, { recursive: true, force: true }));
      made.delete(staging);
    },
  };
}

function makeStaging(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new StorageError(path, error);
  }
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

/** At once: of a small file, handing open, write and close to another thread costs more than they do. */
async function writeNew(path: string, bytes: string): Promise<void> {
  writeFileSync(path, bytes, { flag: 'wx' });
}

/**
 * A few at a time, out of one queue: a publication may have a hundred thousand files, and a promise for each takes more
 * room than its name.
 */
async function syncAll(paths: readonly string[]): Promise<void> {
  const queue = paths.values();
  const work = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await syncPath(next.value);
  };
  await Promise.all(Array.from({ length: parallelSyncs }, work));
}

async function readNow(path: string): Promise<string> {
  return readFileSync(path, 'utf8');
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
