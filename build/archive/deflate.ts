// Compresses one content for a ZIP: the same bytes on every machine, since fflate is pure JavaScript and pinned, and all its parameters are
// fixed here. Changing fflate's version, the level or a limit below changes the bytes of every archive built anew: that is a breaking change.

import { Deflate, deflateSync, type DeflateOptions } from 'fflate';
import { crc32 } from 'node:zlib';

/** ZIP compression methods (APPNOTE 4.4.5). */
export const stored = 0;
export const deflated = 8;

/** Level 6: of 3.6 MB of PHP 9 saves 0.1 % more, and 3 is hardly faster. */
const level = 6;

/** From this size on a content is compressed piece by piece, so that its output is never in memory as a whole. */
export const streamedFromBytes = 16 * 1024 * 1024;

/** What is handed to the streaming compressor at a time. */
const stepBytes = 1024 * 1024;

export interface Deflated {
  readonly method: typeof stored | typeof deflated;
  readonly crc32: number;
  /** `content` itself where deflating does not make it smaller */
  readonly bytes: Uint8Array;
}

/** For contents below `streamedFromBytes`. */
export function deflateContent(content: Uint8Array): Deflated {
  const checksum = crc32(content);
  const smaller = deflateSync(content, { level, mem: hashSize(content.length) });
  return smaller.length < content.length ? { method: deflated, crc32: checksum, bytes: smaller } : { method: stored, crc32: checksum, bytes: content };
}

/** For larger ones: the raw deflate stream of `content` as it comes, in chunks of about a megabyte. */
export function* deflateInSteps(content: Uint8Array): Generator<Uint8Array, void, void> {
  const ready: Uint8Array[] = [];
  const compressor = new Deflate({ level, mem: hashSize(content.length) }, (chunk) => ready.push(chunk));
  for (let from = 0; from < content.length; from += stepBytes) {
    compressor.push(content.subarray(from, from + stepBytes), from + stepBytes >= content.length);
    yield* ready.splice(0);
  }
}

type HashSize = NonNullable<DeflateOptions['mem']>;

/** fflate's `mem`: its table grows with the content. Its own default takes a logarithm, which no standard says how to round. */
function hashSize(size: number): HashSize {
  const bits = 32 - Math.clz32(size);
  return Math.min(8, Math.max(0, bits - 12)) as HashSize;
}
