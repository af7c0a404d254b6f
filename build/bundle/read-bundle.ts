// Reads a bundle, and believes nothing of it: its size, each header and each digest must be what its list says. One
// file is open at a time, and none is in memory.

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, utimes, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BuildRefused } from '../contract/refusals.ts';
import { makeFolder } from '../output/make-folder.ts';
import { withPath } from '../output/storage-error.ts';
import { NewerFormat } from '../contract/newer-format.ts';
import { messageOf } from '../shared/text/message-of.ts';
import {
  blockBytes,
  endBytes,
  entryName,
  headerOf,
  manifestSize,
  mostBytesOfList,
  paddingOf,
  parseManifest,
  type BundleFile,
  type BundleManifest,
} from './bundle-format.ts';
import type { OnFile } from './write-bundle.ts';

export interface OpenBundle {
  readonly manifest: BundleManifest;
  /** Writes each file to a new place, and checks it. Throws BuildRefused. */
  readonly extract: (placeOf: (path: string) => string, onFile: OnFile) => Promise<void>;
}

/** Its fault, and what to do. No backquotes: the command gets no options of this registry. */
export function unusable(path: string, fault: string): BuildRefused {
  return new BuildRefused(
    `${path} ${fault}. Compare its SHA-256 with the one that libretto bundle printed at the sending registry, and ` +
      'copy it again. Nothing was changed.',
  );
}

/** Runs `work` with the bundle in this file. Throws BuildRefused. */
export async function withBundle<Result>(path: string, work: (bundle: OpenBundle) => Promise<Result>): Promise<Result> {
  const handle = await withPath(path, open(path, 'r'));
  try {
    const { size } = await handle.stat();
    const { manifest, begin } = await readManifest(path, handle);
    const whole = manifest.files.reduce((sum, file) => sum + bytesInTar(file), begin + endBytes);
    if (size < whole) throw unusable(path, `has ${size} bytes instead of ${whole}: its end is missing`);
    if (size > whole) throw unusable(path, `has ${size} bytes instead of ${whole}: more was added`);
    return await work({ manifest, extract: (...to) => extract({ path, handle }, manifest.files, begin, ...to) });
  } finally {
    await handle.close();
  }
}

function bytesInTar({ size }: Pick<BundleFile, 'size'>): number {
  return blockBytes + size + paddingOf(size);
}

/** `begin`: where its first file begins. */
async function readManifest(
  path: string,
  handle: FileHandle,
): Promise<{ readonly manifest: BundleManifest; readonly begin: number }> {
  const size = manifestSize(await readAt(handle, 0, blockBytes));
  if (size === undefined) throw unusable(path, 'is no bundle, or its beginning is damaged');
  if (size > mostBytesOfList) throw unusable(path, `has a list of files of ${size} bytes, which is too long`);
  const text = (await readAt(handle, blockBytes, size)).toString('utf8');
  try {
    return { manifest: parseManifest(text), begin: bytesInTar({ size }) };
  } catch (error) {
    if (error instanceof NewerFormat) throw new BuildRefused(`${path}: ${error.message}. Nothing was changed.`);
    const fault = error instanceof SyntaxError ? 'its list of files is damaged' : messageOf(error);
    throw unusable(path, `cannot be used: ${fault.replace(/\.$/, '')}`);
  }
}

interface Opened {
  readonly path: string;
  readonly handle: FileHandle;
}

async function extract(
  bundle: Opened,
  files: readonly BundleFile[],
  begin: number,
  placeOf: (path: string) => string,
  onFile: OnFile,
): Promise<void> {
  let at = begin;
  for (const [index, file] of files.entries()) {
    onFile(index, files.length, file.path);
    if (!(await readAt(bundle.handle, at, blockBytes)).equals(headerOf(entryName(index), file.size)))
      throw unusable(bundle.path, `is damaged, or was changed: ${file.path} is not where its list says`);
    await extractFile(bundle, at + blockBytes, file, placeOf(file.path));
    at += bytesInTar(file);
  }
  if (!isEmpty(await readAt(bundle.handle, at, endBytes))) throw unusable(bundle.path, 'is damaged at its end');
}

async function extractFile(
  { path, handle }: Opened,
  start: number,
  { path: name, size, sha256, modified }: BundleFile,
  target: string,
): Promise<void> {
  await makeFolder(dirname(target));
  const hash = createHash('sha256');
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < size; at += pieceBytes) {
      const piece = await readAt(handle, start + at, Math.min(pieceBytes, size - at));
      hash.update(piece);
      yield piece;
    }
  }
  await withPath(target, pipeline(pieces(), createWriteStream(target, { flags: 'wx', mode: 0o600 })));
  if (hash.digest('hex') !== sha256 || !isEmpty(await readAt(handle, start + size, paddingOf(size))))
    throw unusable(path, `is damaged: ${name} does not have the SHA-256 that its list names`);
  if (modified !== undefined) await utimes(target, modified, modified);
}

const pieceBytes = 256 * 1024;

/** Fewer bytes at the end of the file. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function isEmpty(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
