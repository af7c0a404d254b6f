// Reads a file that another process may replace at any moment. Its stamp and its bytes come from one handle, so both
// belong to one content. Lists read tens of thousands of small files, and each round trip through the thread pool costs
// more than the file. So only operations that may wait for the disk use the thread pool: opening the file, and reading
// it.

import { closeSync, fstatSync, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { isAbsence, fileStampOf, type FileStamp } from './file-stamp.ts';
import { readFault } from './unusable-file.ts';

export interface WholeFile {
  readonly bytes: Buffer;
  readonly stamp: FileStamp;
  /** with its fraction: a time that was set in seconds is a little less than its millisecond */
  readonly mtimeMs: number;
  /** of the bytes, hex, where a reader computed it */
  readonly sha256?: string | undefined;
}

const openFile = promisify(open);
const readSome = promisify(read);

/** undefined: there is no such file. Rejects with UnusableFile if the system refuses to read the file. */
export async function readWhole(path: string): Promise<WholeFile | undefined> {
  const file = await openFile(path, 'r').catch((error: unknown) => {
    if (isAbsence(error)) return undefined;
    throw readFault(path, error);
  });
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file, { bigint: true });
    const size = Number(stats.size);
    const bytes = await readBytes(file, size).catch((error: unknown) => Promise.reject(readFault(path, error)));
    if (bytes.length !== size)
      throw new Error(`${path} changed while it was read: it must be replaced, never rewritten`);
    return { bytes, stamp: fileStampOf(stats), mtimeMs: Number(stats.mtimeNs) / 1e6 };
  } finally {
    closeSync(file);
  }
}

/** Requests one byte more than `size`, so that a file that has grown returns more than `size` bytes. */
async function readBytes(file: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size + 1);
  for (let length = 0; ;) {
    const { bytesRead } = await readSome(file, bytes, length, bytes.length - length, null);
    length += bytesRead;
    if (bytesRead === 0 || length >= size) return bytes.subarray(0, length);
  }
}
