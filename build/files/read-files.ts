// Reads files once, hashes each, and deflates it for an archive. The function also runs in worker threads, and
// therefore returns only plain data.

import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Compressor } from '../compression/compressor.ts';
import { deflateTo, streamedFromBytes, type DeflatedFacts } from '../compression/deflate.ts';
import { createReusedBuffer, type ReusedBuffer } from '../compression/reused-buffer.ts';
import { QuarantineError, type Quarantine } from '../contract/quarantine.ts';
import type { Pause } from './pause.ts';
import { hashStableFile, readUnchanged } from './read-file.ts';

export interface FilesToRead {
  /** absolute */
  readonly folder: string;
  /** regular files, unchanged since the walk */
  readonly files: readonly FileToRead[];
  /** true if an archive of these files is likely */
  readonly deflate: boolean;
}

export interface FileToRead {
  readonly path: string;
  readonly stamp: string;
  readonly bytes: number;
}

export type FilesRead =
  | {
      /** lower-case hex SHA-256, one for each file */
      readonly digests: readonly string[];
      /** the deflated contents, in sequence in `bytes` */
      readonly pieces: readonly (DeflatedFacts & { readonly digest: string })[];
      readonly bytes: Uint8Array;
    }
  /** the fault of the first file that cannot be published */
  | { readonly fault: Pick<Quarantine, 'code' | 'message'> };

/** The tools of one thread, for one task at a time. */
export interface ReadingTools {
  readonly compressor: Compressor;
  /** digests of contents that are deflated already */
  readonly seen: Set<string>;
  readonly content: ReusedBuffer;
  readonly out: ReusedBuffer;
  readonly pause: Pause;
}

export function createReadingTools(compressor: Compressor, pause: Pause): ReadingTools {
  return { compressor, seen: new Set(), content: createReusedBuffer(), out: createReusedBuffer(), pause };
}

export async function readFiles(task: FilesToRead, tools: ReadingTools): Promise<FilesRead> {
  try {
    return task.deflate
      ? await readAndDeflate(task, tools)
      : { digests: await hashAll(task, tools), pieces: [], bytes: new Uint8Array() };
  } catch (error) {
    if (error instanceof QuarantineError) return { fault: { code: error.code, message: error.message } };
    throw error;
  }
}

async function hashAll({ folder, files }: FilesToRead, { pause }: ReadingTools): Promise<string[]> {
  const digests: string[] = [];
  for (const { path, stamp } of files) digests.push(await hashStableFile(join(folder, path), stamp, pause));
  return digests;
}

async function readAndDeflate({ folder, files }: FilesToRead, tools: ReadingTools): Promise<FilesRead> {
  const digests: string[] = [];
  const pieces: (DeflatedFacts & { readonly digest: string })[] = [];
  const out = tools.out(files.reduce((sum, { bytes }) => sum + (bytes < streamedFromBytes ? bytes : 0), 0));
  let used = 0;
  for (const { path, stamp, bytes } of files) {
    const absolute = join(folder, path);
    if (bytes >= streamedFromBytes) {
      digests.push(await hashStableFile(absolute, stamp, tools.pause));
      continue;
    }
    const content = await readUnchanged(absolute, { stamp, maxBytes: bytes, into: tools.content(bytes) }, tools.pause);
    const digest = hash('sha256', content, 'hex');
    digests.push(digest);
    if (tools.seen.has(digest)) continue;
    tools.seen.add(digest);
    const facts = deflateTo(out, used, content, tools.compressor);
    pieces.push({ ...facts, digest });
    used += facts.length;
  }
  return { digests, pieces, bytes: new Uint8Array(out.subarray(0, used)) };
}
