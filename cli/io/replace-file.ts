// A file of the data folder that is replaced whole or not at all. It is written beside its place first; what cannot be
// finished, on a full disk for instance, leaves nothing behind.

import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

export interface ReplaceOptions {
  readonly mode: number;
  /** on the disk once it has its name */
  readonly durable: boolean;
}

/** Rejects with the fault of the disk. */
export async function replaceFile(path: string, text: string, { mode, durable }: ReplaceOptions): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(text);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
