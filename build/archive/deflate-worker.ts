// What a worker thread runs: deflates a batch of contents. The batch comes and goes as one block of bytes, since messages are dear.

import { deflateContent, type Deflated } from './deflate.ts';

export interface Batch {
  /** contents one behind another */
  readonly bytes: Uint8Array;
  readonly lengths: readonly number[];
}

export interface DeflatedBatch {
  readonly bytes: Uint8Array;
  readonly pieces: readonly { readonly method: Deflated['method']; readonly crc32: number; readonly length: number }[];
}

export function deflateBatch(batch: Batch): DeflatedBatch {
  let start = 0;
  const results = batch.lengths.map((length) => {
    const content = batch.bytes.subarray(start, start + length);
    start += length;
    return deflateContent(content);
  });
  return {
    bytes: Buffer.concat(results.map(({ bytes }) => bytes)),
    pieces: results.map(({ method, crc32, bytes }) => ({ method, crc32, length: bytes.length })),
  };
}
