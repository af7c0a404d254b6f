// Files that appear complete or not at all, of the mirror and of the catalogue. They are written under a temporary name
// in the same folder. A killed process leaves at most such a file: `mirror prune` removes it, and so does the next
// `libretto site` in a catalogue.

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { link, mkdir, open, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { folderFault } from './folder-fault.ts';
import { isAbsence } from './file-stamp.ts';
import { syncFolder } from './sync-folder.ts';

export const partialSuffix = '.partial';

const ownerOnly = 0o600;

/** A unique temporary name in the folder of `path`. */
export function partialPathOf(path: string): string {
  return `${path}.${randomUUID()}${partialSuffix}`;
}

/**
 * True if a file, folder or link has this name. The check takes a few microseconds; a round trip through the thread
 * pool takes a hundred.
 */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/**
 * Replaces an existing file. Whole in the eyes of every process, but not yet safe from a loss of power. `mode`: of the
 * file; by default others may not read it.
 */
export async function replaceFile(path: string, pieces: readonly (string | Buffer)[], mode = ownerOnly): Promise<void> {
  const partial = await written(path, pieces, { durable: false, mode });
  try {
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Like `replaceFile`, and safe from a loss of power when the promise resolves. */
export async function replaceFileDurably(path: string, pieces: readonly (string | Buffer)[]): Promise<void> {
  const partial = await written(path, pieces, { durable: true, mode: ownerOnly });
  try {
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Resolves to false if the file exists, and leaves it unchanged. One of several concurrent processes succeeds. The file
 * is durable when the promise resolves.
 */
export async function createFile(path: string, pieces: readonly (string | Buffer)[]): Promise<boolean> {
  const partial = await written(path, pieces, { durable: true, mode: ownerOnly });
  try {
    await link(partial, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(partial);
  }
}

async function written(
  path: string,
  pieces: readonly (string | Buffer)[],
  { durable, mode }: { readonly durable: boolean; readonly mode: number },
): Promise<string> {
  const partial = partialPathOf(path);
  const file = await openNew(partial, mode);
  try {
    for (const piece of inFewWrites(pieces)) await file.writeFile(piece);
    if (durable) await file.datasync();
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return partial;
}

const joinedUpToBytes = 256 * 1024;

/** Combines small pieces, because each write is a round trip through the thread pool and costs more than a copy. */
function inFewWrites(pieces: readonly (string | Buffer)[]): readonly Buffer[] {
  const buffers = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  return buffers.reduce((size, { length }) => size + length, 0) <= joinedUpToBytes ? [Buffer.concat(buffers)] : buffers;
}

/** The folder is mostly there already. */
async function openNew(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, 'wx', mode);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    await mkdir(dirname(path), { recursive: true }).catch((error: unknown) =>
      Promise.reject(folderFault(error, dirname(path))),
    );
    return open(path, 'wx', mode);
  }
}
