// Writes an archive to a new file block by block, and computes its SHA-1 at the same time. The publication syncs the
// file to disk later. Writes are synchronous, because passing each write of thousands of small archives to another
// thread would cost more than the write. A worker writes the larger archives (zip-task.ts).

import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sha1 } from '../contract/digest.ts';
import { withPathSync } from '../output/storage-error.ts';
import { copyPiece, type SharedPieces } from './shared-pieces.ts';
import type { ZipLayout } from './zip-layout.ts';

/** Small enough to stay in the processor's cache between copying, hashing and writing. */
const blockBytes = 512 * 1024;

/** Plain data, so that a message to a worker can hold it. */
export interface ZipContent {
  readonly layout: ZipLayout;
  /** offset and length of each entry's content among the pieces, in the order of the layout */
  readonly ranges: Float64Array;
  readonly pieces: SharedPieces;
}

/** Returns the SHA-1 of the file. Fails if `target` exists; after any other error it removes the file. */
export async function writeZip(target: string, content: ZipContent): Promise<Sha1> {
  const file = withPathSync(target, () => openSync(target, 'wx', 0o644));
  try {
    const hash = createHash('sha1');
    try {
      for (const block of blocksOf(content)) {
        hash.update(block);
        for (let done = 0; done < block.length;)
          done += withPathSync(target, () => writeSync(file, block, done, block.length - done));
        await nextTurn();
      }
    } finally {
      withPathSync(target, () => closeSync(file));
    }
    return hash.digest('hex') as Sha1;
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}

/** The archive from its first byte to its last. A block is valid until the next one is requested. */
function* blocksOf({ layout, ranges, pieces }: ZipContent): Generator<Uint8Array, void, void> {
  const block = Buffer.allocUnsafe(Math.min(blockBytes, layout.size));
  let used = 0;
  for (const part of partsOf(layout, ranges, pieces)) {
    for (let done = 0; done < part.length;) {
      if (used === block.length) {
        yield block;
        used = 0;
      }
      const count = Math.min(part.length - done, block.length - used);
      part.copy(done, count, block, used);
      used += count;
      done += count;
    }
  }
  if (used > 0) yield block.subarray(0, used);
}

interface Part {
  readonly length: number;
  /** `count` bytes of it, `from` its own start, to `out` at `start` */
  readonly copy: (from: number, count: number, out: Uint8Array, start: number) => void;
}

function* partsOf(layout: ZipLayout, ranges: Float64Array, pieces: SharedPieces): Generator<Part, void, void> {
  let headerStart = 0;
  for (const [index, headerEnd] of layout.headerEnds.entries()) {
    const [offset = 0, length = 0] = ranges.subarray(2 * index, 2 * index + 2);
    yield partOf(layout.localHeaders.subarray(headerStart, headerEnd));
    yield {
      length,
      copy: (from, count, out, start) => copyPiece(pieces, { offset: offset + from, length: count }, out, start),
    };
    headerStart = headerEnd;
  }
  yield partOf(layout.tail);
}

function partOf(bytes: Uint8Array): Part {
  return {
    length: bytes.length,
    copy: (from, count, out, start) => out.set(bytes.subarray(from, from + count), start),
  };
}
