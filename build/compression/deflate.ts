// Compresses one content for a ZIP. Another libdeflate, level or step changes the bytes of every new archive, and is a
// breaking change. Level 4 gives 4 % more bytes of PHP code than level 6, in three quarters of the time.

import { crc32 } from 'node:zlib';
import type { Compressor } from './compressor.ts';

/** ZIP compression methods (APPNOTE 4.4.5). */
export const stored = 0;
export const deflated = 8;

/** A content of this size or more is compressed in steps, so that its output is never completely in memory. */
export const streamedFromBytes = 16 * 1024 * 1024;

/** The facts of a content in a ZIP. */
export interface DeflatedFacts {
  readonly method: typeof stored | typeof deflated;
  readonly crc32: number;
  /** bytes of the content */
  readonly size: number;
  /** bytes in the archive, never more than `size` */
  readonly length: number;
}

export interface Deflated extends DeflatedFacts {
  readonly bytes: Uint8Array;
}

/**
 * For contents below `streamedFromBytes`. Writes to `out` at `start`, which must have room for the content itself: the
 * content is stored unchanged if deflating does not make it smaller.
 */
export function deflateTo(out: Uint8Array, start: number, content: Uint8Array, compressor: Compressor): DeflatedFacts {
  const facts = { crc32: crc32(content), size: content.length };
  let length = 0;
  for (const part of deflateInSteps(content, compressor)) {
    if (length + part.length < content.length) out.set(part, start + length);
    length += part.length;
  }
  if (length > 0 && length < content.length) return { ...facts, method: deflated, length };
  out.set(content, start);
  return { ...facts, method: stored, length: content.length };
}

/**
 * The raw deflate stream of `content` in parts; each part is valid until the next. The compressor must have no other
 * user until the stream ends.
 */
export function* deflateInSteps(content: Uint8Array, compressor: Compressor): Generator<Uint8Array, void, void> {
  const { stepBytes } = compressor;
  for (let from = 0; from < content.length; from += stepBytes)
    yield compressor.deflate(content.subarray(from, from + stepBytes), from + stepBytes >= content.length);
}
