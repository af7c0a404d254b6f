// One read of a file that may be replaced at any moment: its stamp and its bytes come from one handle, so they are of
// one content.

import { open } from 'node:fs/promises';
import { isAbsence, stampOf, type FileStamp } from './file-stamp.ts';

export interface WholeFile {
  readonly bytes: Buffer;
  readonly stamp: FileStamp;
  readonly mtimeMs: number;
}

/** undefined: there is no such file. */
export async function readWhole(path: string): Promise<WholeFile | undefined> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (isAbsence(error)) return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat({ bigint: true });
    const bytes = await handle.readFile();
    if (BigInt(bytes.length) !== stats.size)
      throw new Error(`${path} changed while it was read: it must be replaced, never rewritten`);
    return { bytes, stamp: stampOf(stats), mtimeMs: Number(stats.mtimeMs) };
  } finally {
    await handle.close();
  }
}
