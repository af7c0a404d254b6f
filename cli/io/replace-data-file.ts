// Replaces a file of the data folder completely or not at all. The new bytes go first into a temporary file in the same
// folder. An interrupted write, for instance on a full disk, leaves no file behind.

import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

export interface ReplaceOptions {
  readonly mode: number;
  /** on the disk once it has its name */
  readonly durable: boolean;
}

/** Rejects with the fault of the disk. */
export async function replaceDataFile(path: string, text: string, { mode, durable }: ReplaceOptions): Promise<void> {
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
