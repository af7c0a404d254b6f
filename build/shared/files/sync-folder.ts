// Makes the names in a folder safe from a loss of power.

import { open } from 'node:fs/promises';

/** Rejects with Node's error. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
