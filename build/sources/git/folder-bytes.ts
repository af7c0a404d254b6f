// The disk space of a folder.

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files below; stops counting above `enough`. A file that vanishes during the count counts as empty. */
export async function folderBytes(folder: string, enough: number): Promise<number> {
  let total = 0;
  const waiting = [folder];
  for (let current = waiting.pop(); current !== undefined && total <= enough; current = waiting.pop()) {
    const entries = await unlessGone(() => readdir(current, { withFileTypes: true }), []);
    for (const entry of entries) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else total += await unlessGone(async () => (await lstat(path)).size, 0);
    }
  }
  return total;
}

async function unlessGone<Value>(read: () => Promise<Value>, gone: Value): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return gone;
    throw error;
  }
}
