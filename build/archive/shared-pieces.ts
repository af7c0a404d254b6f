// The pieces of a spill file as any thread reads them: slabs in shared memory, and the file for the rest. A thread that
// reads changes neither.

import { readSync } from 'node:fs';
import { StorageError } from '../output/storage-error.ts';

/** Plain data, so that a message to another thread can hold it. */
export interface SharedPieces {
  readonly slabBytes: number;
  /** By number; slab n has the bytes from n × slabBytes on. */
  readonly slabs: ReadonlyMap<number, Uint8Array>;
  /** path of the file, for messages */
  readonly path: string;
  /** A descriptor of this process; undefined while all pieces are in slabs. */
  readonly file: number | undefined;
}

/** Bytes of one piece, or a part of it. */
export interface PieceRange {
  readonly offset: number;
  readonly length: number;
}

/** Copies the range to `out` at `start`. Throws StorageError if the file cannot be read. */
export function copyPiece(
  { slabBytes, slabs, path, file }: SharedPieces,
  { offset, length }: PieceRange,
  out: Uint8Array,
  start: number,
): void {
  const slab = slabs.get(Math.floor(offset / slabBytes));
  if (slab !== undefined) {
    const from = offset % slabBytes;
    out.set(slab.subarray(from, from + length), start);
    return;
  }
  for (let done = 0; done < length;) {
    const read = readPart(path, file, out.subarray(start + done, start + length), offset + done);
    if (read === 0) throw new StorageError(path, new Error('the scratch file is shorter than its pieces'));
    done += read;
  }
}

function readPart(path: string, file: number | undefined, out: Uint8Array, offset: number): number {
  try {
    return file === undefined ? 0 : readSync(file, out, 0, out.length, offset);
  } catch (error) {
    throw new StorageError(path, error);
  }
}
