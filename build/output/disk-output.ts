// The output on a local file system: <data>/public, <data>/index and <data>/build. Staged files are below build/, so
// that an interrupted build leaves nothing in the served tree (I4). Publishing renames files, so all three folders must
// be on one file system.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { copyFile, link, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Sha1 } from '../contract/digest.ts';
import { AbsentArchives } from './absent-archives.ts';
import type { OutputArea, FileFacts, Output } from './output.ts';
import { isMissing, withPath, StorageError } from './storage-error.ts';
import { readOrFail } from './unreadable-file.ts';
import { syncPath } from './sync-path.ts';
import { makeFolder } from './make-folder.ts';

const parallelSyncs = 16;

/** The folders that a publication writes to: created on demand, and synced together. */
class WrittenFolders {
  readonly #staging: string;
  readonly #made = new Set<string>();
  readonly #unsynced: Set<string>;
  #staged = 0;

  constructor(dataDirectory: string) {
    this.#staging = join(dataDirectory, 'build', 'staging');
    // The holder of the lock may have created build/ itself.
    this.#unsynced = new Set([dataDirectory]);
  }

  /** The path of a new file below build/staging/. Throws StorageError. */
  stagingPath(): string {
    if (!this.#made.has(this.#staging)) makeStaging(this.#staging);
    this.#made.add(this.#staging);
    this.#staged += 1;
    return join(this.#staging, `${this.#staged}-${randomUUID()}`);
  }

  /** Creates the folder of `path`. */
  async makeFor(path: string): Promise<void> {
    const folder = dirname(path);
    this.touch(folder);
    if (this.#made.has(folder)) return;
    // A new folder survives a power cut only after its parent is synced.
    for (const level of await makeFolder(folder)) this.#unsynced.add(level).add(dirname(level));
    this.#made.add(folder);
  }

  /** Notes that an entry of `folder` has changed. */
  touch(folder: string): void {
    this.#unsynced.add(folder);
  }

  /** Resolves once all changed folders are on disk. */
  async sync(): Promise<void> {
    await syncAll([...this.#unsynced]);
    this.#unsynced.clear();
  }

  async discardStaging(): Promise<void> {
    await withPath(this.#staging, rm(this.#staging, { recursive: true, force: true }));
    this.#made.delete(this.#staging);
  }
}

/**
 * Syncs a few paths at a time. A publication may have a hundred thousand files, and one promise for each would need
 * more memory than all paths.
 */
async function syncAll(paths: readonly string[]): Promise<void> {
  const queue = paths.values();
  const work = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await syncPath(next.value);
  };
  await Promise.all(Array.from({ length: parallelSyncs }, work));
}

function makeStaging(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new StorageError(path, error);
  }
}

export function createDiskOutput(dataDirectory: string): Output {
  const locate = (area: OutputArea, path: string): string => join(dataDirectory, area, path);
  const absent = new AbsentArchives(dataDirectory);
  return {
    ...createReader(locate, absent),
    ...createWriter(dataDirectory, locate, absent),
    locate: async (path) => {
      if (!existsSync(locate('public', path))) await absent.demand(`public/${path}`);
      return locate('public', path);
    },
  };
}

type Reading = 'read' | 'facts' | 'sha1' | 'list';
type Locate = (area: OutputArea, path: string) => string;

function createReader(locate: Locate, absent: AbsentArchives): Pick<Output, Reading> {
  return {
    // Synchronously: for a small file, the thread pool costs several times the read, and a build reads thousands.
    read: (area, path) => readOrFail(`${area}/${path}`, readNow(locate(area, path))),
    facts: async (area, path) => {
      const found = await readOrFail(`${area}/${path}`, factsOf(locate(area, path)));
      if (found !== undefined) return found;
      const listed = await absent.file(`${area}/${path}`);
      if (listed === undefined) return undefined;
      // below zero, as no file on a disk has; equal for equal bytes
      const inode = -BigInt(`0x1${listed.sha256}`);
      return { size: listed.size, lastModified: Math.floor(listed.modified / 1000), inode };
    },
    sha1: async (area, path) =>
      (await readOrFail(`${area}/${path}`, sha1Of(locate(area, path)))) ?? (await absent.file(`${area}/${path}`))?.sha1,
    list: async (area, folder) => {
      const elsewhere = await absent.below(folder === '' ? area : `${area}/${folder}`);
      const here = await listBelow(locate(area, ''), locate(area, folder));
      if (elsewhere.length === 0) return here;
      return [...new Set([...here, ...elsewhere.map((path) => path.slice(area.length + 1))])].toSorted();
    },
  };
}

function createWriter(dataDirectory: string, locate: Locate, absent: AbsentArchives): Omit<Output, Reading | 'locate'> {
  const folders = new WrittenFolders(dataDirectory);
  const listed = (path: string): string => relative(dataDirectory, path).split(sep).join('/');
  const linkTo = async (from: string, target: string): Promise<void> => {
    if (!existsSync(from) && (await absent.alias(listed(from), listed(target))))
      return withPath(target, rm(target, { force: true }));
    await withPath(target, folders.makeFor(target));
    const second = folders.stagingPath();
    await withPath(target, linkOrCopy(from, second));
    await withPath(target, rename(second, target));
    // rename() between two links of one file does nothing and leaves both (rename(2)).
    await withPath(second, rm(second, { force: true }));
  };
  return {
    stagingPath: () => folders.stagingPath(),
    stage: async (bytes) => {
      const path = folders.stagingPath();
      await withPath(path, writeNew(path, bytes));
      return { path };
    },
    settle: async (files) => {
      await syncAll(files.map(({ path }) => path));
    },
    publish: async (file, area, path, lastModified) => {
      const target = locate(area, path);
      await withPath(target, folders.makeFor(target));
      if (lastModified !== undefined) await withPath(file.path, utimes(file.path, lastModified, lastModified));
      await withPath(target, rename(file.path, target));
    },
    alias: (from, to) => linkTo(locate('public', from), locate('public', to)),
    keep: (area, from, to) => linkTo(locate(area, from), locate('build', to)),
    remove: async (area, path) => {
      const target = locate(area, path);
      absent.remove(`${area}/${path}`);
      const removed = await withPath(target, orMissing(unlink(target).then(() => true)));
      if (removed === true) folders.touch(dirname(target));
    },
    barrier: () => folders.sync(),
    discard: () => folders.discardStaging(),
  };
}

/** Makes a hard link, or a copy if the file system refuses a link. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isMissing(error)) throw error;
    await copyFile(from, to);
    await syncPath(to);
  }
}

/** Synchronously: for a small file, the thread pool costs more than open, write and close. */
async function writeNew(path: string, bytes: string): Promise<void> {
  writeFileSync(path, bytes, { flag: 'wx' });
}

async function readNow(path: string): Promise<string> {
  return readFileSync(path, 'utf8');
}

async function factsOf(path: string): Promise<FileFacts> {
  const found = await stat(path, { bigint: true });
  if (found.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
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
