// Lists the files of a folder, and follows no symbolic link: `readdirSync` with `recursive` and `withFileTypes` follows
// links to folders on Node 24, and does not on Node 20.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of the ordinary files at any depth; each begins with `folder`. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
