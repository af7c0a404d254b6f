// Stores every distinct content of a build, deflated once for all archives that contain it. The identity of a content
// is its key.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { createCompressor } from '../compression/compressor.ts';
import { deflated, deflateInSteps, stored, streamedFromBytes, type Deflated } from '../compression/deflate.ts';
import type { DeflateQueue } from './deflate-queue.ts';
import type { SpillFile } from './spill-file.ts';

/** One content as archives contain it, and its place in the spill file. */
export interface Piece {
  readonly method: typeof stored | typeof deflated;
  readonly crc32: number;
  /** bytes of the content */
  readonly size: number;
  /** bytes in the archive */
  readonly compressedSize: number;
  readonly offset: number;
}

export type ContentStore = ReturnType<typeof createContentStore>;

export function createContentStore(queue: DeflateQueue, scratch: SpillFile) {
  // no SingleFlight: a piece takes the place of its promise, since a build keeps hundreds of thousands of pieces
  const pieces = new Map<string, Piece | Promise<Piece>>();
  const failed = new Set<string>();

  const keep = (identity: string, piece: Promise<Piece>): void => {
    pieces.set(identity, piece);
    failed.delete(identity);
    piece.then(
      (done) => pieces.set(identity, done),
      () => failed.add(identity),
    );
  };
  const place = ({ method, crc32: checksum, size, bytes }: Deflated): Piece => ({
    method,
    crc32: checksum,
    size,
    compressedSize: bytes.length,
    offset: scratch.append(bytes),
  });

  return {
    /** true after the content was added, unless deflating it failed */
    has: (identity: string) => pieces.has(identity) && !failed.has(identity),
    /**
     * Takes over a new content; resolves when the next one may be added. `bytes` must not change before `get` resolves.
     */
    add: async (identity: string, bytes: Uint8Array): Promise<void> => {
      if (bytes.length >= streamedFromBytes) {
        const piece = deflateLarge(bytes, scratch);
        keep(identity, piece);
        await piece;
        return;
      }
      const { result, accepted } = queue.push(bytes, place);
      keep(identity, result);
      await accepted;
    },
    /** Takes over a new content that is already deflated. */
    addDeflated: (identity: string, content: Deflated): void => {
      pieces.set(identity, place(content));
      failed.delete(identity);
    },
    /** Call it after the last content of a batch. */
    flush: () => queue.flush(),
    /** Rejects with the reason why deflating failed; the content may then be added again. */
    get: (identity: string) =>
      pieces.get(identity) ?? Promise.reject(new Error(`unreachable: ${identity} was never added`)),
  };
}

/** Writes in steps directly to the scratch file; stores the content if its deflated form reaches the original size. */
async function deflateLarge(content: Uint8Array, scratch: SpillFile): Promise<Piece> {
  const offset = scratch.reserve(content.length);
  const facts = { crc32: crc32(content), size: content.length, offset };
  let written = 0;
  for (const chunk of deflateInSteps(content, createCompressor())) {
    if (written + chunk.length >= content.length) {
      scratch.fill(offset, content);
      return { ...facts, method: stored, compressedSize: content.length };
    }
    scratch.fill(offset + written, chunk);
    written += chunk.length;
    await nextTurn();
  }
  return { ...facts, method: deflated, compressedSize: written };
}
