// Reads a file in pieces for its transfer.

import type { OpenFile } from './answer.ts';

/** Reads a chunk of `file` from `position`, at most the size of `buffer`. Rejects if the file was truncated. */
export async function readChunk(file: OpenFile, buffer: Buffer, position: number): Promise<Buffer> {
  const { bytesRead } = await file.handle.read(buffer, 0, Math.min(buffer.length, file.size - position), position);
  if (bytesRead === 0)
    throw new Error(`${file.path} became shorter while it was sent: archives must be replaced, never rewritten`);
  return buffer.subarray(0, bytesRead);
}
