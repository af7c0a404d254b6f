// Copies files so that they are on the disk when it is done, with their times and checksums. Names of one file stay
// names of one file.

import { syncFolder } from '../../build/shared/files/sync-folder.ts';
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, link, mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';

import { isMissing, StorageError } from '../../build/output/storage-error.ts';
import type { BackupFile } from './backup-record.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';

/**
 * Folders that only the owner may read, with any permissions of the parent folder: the state, the keys, uploads,
 * mirrored packages, and the feeds of the policy.
 */
const privateFolders: ReadonlySet<string> = new Set(['state', 'keys', 'artifacts', 'mirror', 'feeds']);

const parallelCopies = 8;

/** Names the folder in errors of the disk; all other errors stay unchanged. */
export async function onDisk<Result>(path: string, operation: Promise<Result>): Promise<Result> {
  return operation.catch((error: unknown) => {
    throw error instanceof Error && 'syscall' in error ? new StorageError(path, error) : error;
  });
}

/**
 * Relative paths of the files below `folder`, sorted; `skip` by relative path. A folder that is not there has none. A
 * folder right below may be a link to elsewhere.
 */
export async function listFiles(folder: string, skip: (path: string) => boolean, below = ''): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (skip(path)) return [];
      const kind = entry.isSymbolicLink() ? await stat(join(folder, path)).catch(() => entry) : entry;
      if (kind.isDirectory()) return entry.isDirectory() || below === '' ? listFiles(folder, skip, path) : [];
      return kind.isFile() ? [path] : [];
    }),
  );
  return found.flat().toSorted();
}

/**
 * Resolves with the copied files, in the order of `paths`. `modified`: epoch seconds; default: the time of the file.
 */
export async function copyFiles(
  from: string,
  to: string,
  paths: readonly string[],
  modified?: (path: string) => number | undefined,
): Promise<BackupFile[]> {
  const folders = await makeFolders(to, paths);
  const limit = pLimit(parallelCopies);
  const copied = new SingleFlight<Bytes & { readonly target: string }>({ keeps: 'settled' });
  const copyOne = async (path: string): Promise<BackupFile> => {
    const [source, target] = [join(from, path), join(to, path)];
    const { mtimeNs, ino, dev, nlink } = await stat(source, { bigint: true });
    const time = modified?.(path) ?? Number(mtimeNs / 1_000_000n) / 1000;
    const facts = { modified: time, mode: privateFolders.has(path.split('/', 1)[0] ?? '') ? 0o600 : 0o666 };
    const file = { path, modified: time };
    const known = nlink > 1n ? copied.get(`${dev} ${ino}`) : undefined;
    if (known !== undefined) {
      const first = await known;
      return {
        ...file,
        ...(await link(first.target, target).then(
          () => ({ size: first.size, sha256: first.sha256 }),
          () => copyBytes(source, target, facts),
        )),
      };
    }
    const copying = copied.run(`${dev} ${ino}`, async () => ({
      target,
      ...(await copyBytes(source, target, facts)),
    }));
    const { size, sha256 } = await copying;
    return { ...file, size, sha256 };
  };
  const files = await whenAllEnded(paths.map((path) => limit(() => copyOne(path))));
  for (const folder of folders) await syncFolder(folder);
  return files;
}

/** Waits for all operations even if one fails: no write is running then, and the folder can be removed. */
async function whenAllEnded<Result>(operations: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(operations);
  return Promise.all(operations);
}

interface Facts {
  /** epoch seconds */
  readonly modified: number;
  readonly mode: number;
}

/** Of the written bytes: a server may replace a file of a feed meanwhile. */
interface Bytes {
  readonly size: number;
  /** hex */
  readonly sha256: string;
}

async function copyBytes(source: string, target: string, { modified, mode }: Facts): Promise<Bytes> {
  const hash = createHash('sha256');
  const writing = createWriteStream(target, { flags: 'wx', flush: true, mode });
  await pipeline(createReadStream(source), hashing(hash), writing);
  await utimes(target, modified, modified);
  return { size: writing.bytesWritten, sha256: hash.digest('hex') };
}

function hashing(hash: Hash): (pieces: AsyncIterable<Buffer>) => AsyncIterable<Buffer> {
  return async function* (pieces) {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
}

/** Hex SHA-256. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function makeFolders(to: string, paths: readonly string[]): Promise<readonly string[]> {
  const folders = [...new Set(paths.map((path) => dirname(path)))].toSorted();
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true });
  for (const name of privateFolders)
    if (folders.some((folder) => folder === name || folder.startsWith(`${name}/`))) await chmod(join(to, name), 0o700);
  return folders.map((folder) => join(to, folder));
}
