// One piece of a file that is being sent.

import type { OpenFile } from './answer.ts';

/** As much of `file` from `position` on as `buffer` holds. Rejects where the file has become shorter than it was. */
export async function readChunk(file: OpenFile, buffer: Buffer, position: number): Promise<Buffer> {
  const { bytesRead } = await file.handle.read(buffer, 0, Math.min(buffer.length, file.size - position), position);
  if (bytesRead === 0)
    throw new Error(`${file.path} became shorter while it was sent: archives must be replaced, never rewritten`);
  return buffer.subarray(0, bytesRead);
}
