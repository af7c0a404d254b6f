// Writes a bundle. Every file is read twice: for its digest in the list at the beginning, and for its bytes. One file
// is open at a time, and none is in memory. The bundle gets its name when it is complete.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
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
  mostBytesOfFile,
  mostBytesOfList,
  paddedSize,
  type BundleFile,
  type BundleHead,
} from './bundle-format.ts';

/** `from`: its absolute path. `modified`: to note, epoch seconds. */
export interface FileToBundle extends Pick<BundleFile, 'path' | 'modified'> {
  readonly from: string;
}

export interface WrittenBundle {
  readonly size: number;
  /** hex, of the bundle */
  readonly sha256: string;
}

/** Receives the number of files that are done; each one counts twice. */
export type OnFile = (done: number, total: number, path: string) => void;

/** The name of a bundle that is being written. */
export function partialOf(target: string): string {
  return `${target}.partial`;
}

/** Replaces no file. Throws BuildRefused, BuildBusy for a file that changes meanwhile, and StorageError. */
export async function writeBundle(
  target: string,
  head: BundleHead,
  given: readonly FileToBundle[],
  onFile: OnFile,
): Promise<WrittenBundle> {
  refuseExisting(target);
  const files = given.toSorted((one, other) => compareText(one.path, other.path));
  const listed: BundleFile[] = [];
  for (const [at, file] of files.entries()) {
    onFile(at, 2 * files.length, file.path);
    listed.push(await describe(file));
  }
  const partial = partialOf(target);
  try {
    const written = await withPath(target, writeTo(partial, head, files, listed, onFile));
    refuseExisting(target);
    await withPath(target, rename(partial, target));
    await syncFolder(dirname(target));
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

export function refuseExisting(target: string): void {
  if (isThere(target)) throw new BuildRefused(`${target} exists already. Name another file with --output.`);
}

async function describe({ path, from, modified }: FileToBundle): Promise<BundleFile> {
  const { size } = await withPath(from, stat(from));
  if (size > mostBytesOfFile) throw new BuildRefused(`${from} has more than 8 GiB, and a bundle holds no larger file.`);
  const hash = createHash('sha256');
  for await (const piece of createReadStream(from) as AsyncIterable<Buffer>) hash.update(piece);
  return { path, size, sha256: hash.digest('hex'), ...(modified === undefined ? {} : { modified }) };
}

async function writeTo(
  partial: string,
  head: BundleHead,
  files: readonly FileToBundle[],
  listed: readonly BundleFile[],
  onFile: OnFile,
): Promise<WrittenBundle> {
  const handle = await open(partial, 'w', 0o600);
  const out = { handle, hash: createHash('sha256'), size: 0 };
  try {
    const manifest = Buffer.from(formatManifest({ ...head, files: listed }));
    if (manifest.length > mostBytesOfList)
      throw new BuildRefused(`${files.length} files are too many for one bundle. Name lock files with --lock.`);
    await append(out, headerOf(manifestName, manifest.length), manifest, padding(manifest.length));
    for (const [at, { from, path }] of files.entries()) {
      onFile(files.length + at, 2 * files.length, path);
      await appendFile(out, entryName(at), from, listed[at] ?? { size: 0, sha256: '' });
    }
    await append(out, Buffer.alloc(endBytes));
    await handle.sync();
    return { size: out.size, sha256: out.hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

interface Output {
  readonly handle: FileHandle;
  readonly hash: Hash;
  size: number;
}

async function append(out: Output, ...pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    out.hash.update(piece);
    out.size += piece.length;
    await out.handle.appendFile(piece);
  }
}

async function appendFile(
  out: Output,
  name: string,
  from: string,
  { size, sha256 }: Pick<BundleFile, 'size' | 'sha256'>,
): Promise<void> {
  const hash = createHash('sha256');
  await append(out, headerOf(name, size));
  const begin = out.size;
  for await (const piece of createReadStream(from) as AsyncIterable<Buffer>) {
    hash.update(piece);
    await append(out, piece);
  }
  if (out.size - begin !== size || hash.digest('hex') !== sha256)
    throw new BuildBusy(`${from} has changed while the bundle was written. Try again.`);
  await append(out, padding(size));
}

function padding(size: number): Buffer {
  return Buffer.alloc(paddedSize(size) - size);
}
