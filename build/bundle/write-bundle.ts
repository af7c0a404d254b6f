// Writes a bundle. Every file is read twice: for its digest in the list at the beginning, and for its bytes. One file
// is open at a time, and none is in memory. The bundle gets its name when it is complete.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BuildBusy, BuildRefused } from '../contract/refusals.ts';
import { withPath } from '../output/storage-error.ts';
import { isThere } from '../shared/files/atomic-file.ts';
import { syncFolder } from '../shared/files/sync-folder.ts';
import { compareText } from '../shared/text/compare-text.ts';
import {
  endBytes,
  entryName,
  formatManifest,
  headerOf,
  manifestName,
  mostBytesOfList,
  paddingOf,
  type BundleFile,
  type BundleHead,
} from './bundle-format.ts';

/** `from`: its absolute path. `modified`: to note, epoch seconds. */
export interface FileToBundle extends Pick<BundleFile, 'path' | 'modified'> {
  readonly from: string;
}

type DescribedFile = BundleFile & FileToBundle;

/** Receives the number of files that are done. */
export type OnFile = (done: number, total: number, path: string) => void;

/** The name of a bundle that is being written. */
export function partialOf(target: string): string {
  return `${target}.partial`;
}

/** Throws BuildRefused: no file is replaced. */
export function refuseExisting(target: string): void {
  if (isThere(target)) throw new BuildRefused(`${target} exists already. Name another file with --out.`);
}

/**
 * Resolves with the bytes and the SHA-256 of the bundle. Throws BuildRefused, StorageError, and BuildBusy for a file
 * that changes meanwhile.
 */
export async function writeBundle(
  target: string,
  head: BundleHead,
  given: readonly FileToBundle[],
  onFile: OnFile,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const files: DescribedFile[] = [];
  for (const file of given.toSorted((one, other) => compareText(one.path, other.path))) {
    onFile(files.length, 2 * given.length, file.path); // each file counts twice
    files.push({ ...file, ...(await withPath(file.from, describe(file.from))) });
  }
  const manifest = Buffer.from(formatManifest({ ...head, files: files.map(({ from: _from, ...file }) => file) }));
  if (manifest.length > mostBytesOfList)
    throw new BuildRefused(`${files.length} files are too many for one bundle. Name lock files with --lock.`);
  const partial = partialOf(target);
  const hash = createHash('sha256');
  const writing = createWriteStream(partial, { mode: 0o600, flush: true });
  try {
    await withPath(partial, pipeline(hashed(bytesOf(manifest, files, onFile), hash), writing));
    refuseExisting(target);
    await withPath(target, rename(partial, target));
    await syncFolder(dirname(target));
    return { bytes: writing.bytesWritten, sha256: hash.digest('hex') };
  } catch (error) {
    await rm(partial, { force: true });
    throw error instanceof Error && error.cause instanceof BuildBusy ? error.cause : error;
  }
}

async function describe(path: string): Promise<Pick<BundleFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) hash.update(piece);
  return { size: (await stat(path)).size, sha256: hash.digest('hex') };
}

async function* hashed(pieces: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

async function* bytesOf(manifest: Buffer, files: readonly DescribedFile[], onFile: OnFile): AsyncGenerator<Buffer> {
  yield headerOf(manifestName, manifest.length);
  yield* [manifest, Buffer.alloc(paddingOf(manifest.length))];
  for (const [at, { from, path, size, sha256 }] of files.entries()) {
    onFile(files.length + at, 2 * files.length, path);
    yield headerOf(entryName(at), size);
    const hash = createHash('sha256');
    yield* hashed(createReadStream(from) as AsyncIterable<Buffer>, hash);
    if (hash.digest('hex') !== sha256)
      throw new BuildBusy(`${from} has changed while the bundle was written. Try again.`);
    yield Buffer.alloc(paddingOf(size));
  }
  yield Buffer.alloc(endBytes);
}
