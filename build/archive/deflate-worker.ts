// What a worker thread runs: deflates a batch of contents, or reads files itself. Contents come and go as one block of bytes, since messages are dear.

import { createReadingTools, readFiles, type FilesRead, type FilesToRead } from '../sources/directory/read-files.ts';
import { createCompressor } from './compressor.ts';
import { deflateTo, type DeflatedFacts } from './deflate.ts';
import { createReusedBuffer } from './reused-buffer.ts';

export interface Batch {
  /** contents one behind another */
  readonly bytes: Uint8Array;
  readonly lengths: readonly number[];
}

export interface DeflatedBatch {
  readonly bytes: Uint8Array;
  readonly pieces: readonly DeflatedFacts[];
}

/** This thread's own, where there is nothing else that a pause could let run. */
const compressor = createCompressor();
const tools = createReadingTools(compressor, () => undefined);
const room = createReusedBuffer();

export function deflateBatch(batch: Batch): DeflatedBatch {
  const out = room(batch.bytes.length);
  let from = 0;
  let used = 0;
  const pieces = batch.lengths.map((length) => {
    const piece = deflateTo(out, used, batch.bytes.subarray(from, from + length), compressor);
    from += length;
    used += piece.length;
    return piece;
  });
  return { bytes: new Uint8Array(out.subarray(0, used)), pieces };
}

export function readAndDeflate(task: FilesToRead): Promise<FilesRead> {
  return readFiles(task, tools);
}
