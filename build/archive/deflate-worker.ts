// The entry point of a worker thread. A worker deflates a batch of contents, reads files, or writes an archive. Each
// batch passes in one block of shared memory, because copying messages between threads is expensive.

import { createReadingTools, readFiles, type FilesRead, type FilesToRead } from '../files/read-files.ts';
import { createCompressor } from '../compression/compressor.ts';
import { deflateTo, type DeflatedFacts } from '../compression/deflate.ts';
import { createReusedBuffer } from '../compression/reused-buffer.ts';
import { runZipTask, type ZipTask, type ZipWritten } from './zip-task.ts';

export interface Batch {
  /** shared memory: the contents in sequence, and afterwards the deflated contents from the start */
  readonly bytes: Uint8Array;
  readonly lengths: readonly number[];
}

/** The compressor of this thread. The thread does nothing else, so that it needs no pauses. */
const compressor = createCompressor();
const tools = createReadingTools(compressor, () => undefined);
const room = createReusedBuffer();

/** A deflated content is never larger than the content: all of them fit into the room of the contents. */
export function deflateBatch({ bytes, lengths }: Batch): readonly DeflatedFacts[] {
  const out = room(bytes.length);
  let from = 0;
  let used = 0;
  const pieces = lengths.map((length) => {
    const piece = deflateTo(out, used, bytes.subarray(from, from + length), compressor);
    from += length;
    used += piece.length;
    return piece;
  });
  bytes.set(out.subarray(0, used));
  return pieces;
}

export function readAndDeflate(task: FilesToRead): Promise<FilesRead> {
  return readFiles(task, tools);
}

export function writeArchive(task: ZipTask): Promise<ZipWritten> {
  return runZipTask(task);
}
