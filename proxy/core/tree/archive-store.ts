// Reads ZIPs from disk for answers. Small ZIPs are cached by their SHA-1 and checked when they are read, so that later
// damage of the file does not matter. Larger ones are streamed from a handle whose size was checked. The answer has the
// bytes that the index names, or fails.

import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha1 } from '../../../build/contract/digest.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import type { Answer, OpenFile } from '../http/answer.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import {
  answerWith,
  cacheHeaders,
  httpDate,
  representationOf,
  type Conditions,
  type Representation,
  isNotModified,
} from '../http/representation.ts';
import { readFault } from '../../../build/shared/files/unusable-file.ts';

/**
 * The file on disk differs from the index. The caller may read the index again, because it may just have been replaced.
 */
export class ArchiveMismatch extends Error {
  readonly code: string = 'TREE_DAMAGED';
}

/** Archives up to this size are cached in memory. */
export const cachedUpToBytes = 256 * 1024;

export class ArchiveStore {
  readonly #publicDirectory: string;
  readonly #cached: ByteCache<Representation>;

  constructor(publicDirectory: string, limitBytes: number) {
    this.#publicDirectory = publicDirectory;
    this.#cached = new ByteCache(limitBytes);
  }

  /** Throws ArchiveMismatch if the file is missing or differs from the index. */
  answer(entry: IndexEntry, conditions: Conditions): MaybeAsync<Answer> {
    const cached = this.#cached.get(entry.shasum);
    return cached === undefined ? this.#open(entry, conditions) : answerWith(cached, conditions);
  }

  /** Keeps bytes that were just found to have this SHA-1, and need not be read from disk. */
  remember(shasum: Sha1, bytes: Buffer, mtimeMs: number): void {
    if (bytes.length <= cachedUpToBytes) this.#add(shasum, bytes, mtimeMs);
  }

  /** Clears the cache. */
  clear(): void {
    this.#cached.clear();
  }

  async #open(entry: IndexEntry, conditions: Conditions): Promise<Answer> {
    const path = join(this.#publicDirectory, entry.path);
    const handle = await openArchive(path);
    let streaming = false;
    try {
      const { size, mtimeMs } = await handle.stat();
      if (size !== entry.size)
        throw new ArchiveMismatch(`${path} has ${size} bytes, the index says ${entry.size}; run \`libretto verify\``);
      if (size <= cachedUpToBytes) return answerWith(await this.#store(entry, handle, path, mtimeMs), conditions);
      const answer = archiveAnswer(entry, mtimeMs, conditions, { handle, size: entry.size, path });
      streaming = answer.body !== undefined;
      return answer;
    } finally {
      if (!streaming) await handle.close();
    }
  }

  async #store(entry: IndexEntry, handle: FileHandle, path: string, mtimeMs: number): Promise<Representation> {
    const bytes = await handle.readFile();
    const found = createHash('sha1').update(bytes).digest('hex');
    if (found !== entry.shasum)
      throw new ArchiveMismatch(`${path} has SHA-1 ${found}, the index says ${entry.shasum}; run \`libretto verify\``);
    return this.#add(entry.shasum, bytes, mtimeMs);
  }

  #add(shasum: Sha1, bytes: Buffer, mtimeMs: number): Representation {
    const representation = representationOf(bytes, archiveHeaders, `"${shasum}"`, mtimeMs);
    this.#cached.set(shasum, representation, representation.weight);
    return representation;
  }
}

// Ranges are not offered: Composer sends none, and every archive is sent whole.
export const archiveHeaders: readonly string[] = [
  'Content-Type',
  'application/zip',
  'X-Content-Type-Options',
  'nosniff',
  'Accept-Ranges',
  'none',
];

/** An archive with the body it is sent from; 304 without a body if the client has the archive. */
export function archiveAnswer(
  entry: IndexEntry,
  lastModifiedMs: number,
  conditions: Conditions,
  body: OpenFile | undefined,
): Answer {
  const etag = `"${entry.shasum}"`;
  const lastModified = httpDate(lastModifiedMs);
  const validators = ['ETag', etag, 'Last-Modified', lastModified, ...cacheHeaders];
  if (isNotModified(conditions.ifNoneMatch, conditions.ifModifiedSince, etag, lastModified))
    return { status: 304, headers: validators, body: undefined };
  return {
    status: 200,
    headers: [...archiveHeaders, 'Content-Length', String(entry.size), ...validators],
    body,
  };
}

async function openArchive(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new ArchiveMismatch(`${path} is in the index but not on disk; run \`libretto verify\``, { cause: error });
    throw readFault(path, error);
  }
}
