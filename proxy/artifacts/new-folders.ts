// Removes the folders that a failed upload, or a failed withdrawal of one, made. An operator who looks for a lost folder of uploads then finds none,
// instead of an empty one.

import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder, retiredFolder, stagingFolder } from '../../build/contract/artifact-files.ts';

/** Resolves and rejects as `change` does. After a rejection, empty folders of uploads that are new are gone. */
export async function withoutNewFolders<Result>(dataDirectory: string, change: () => Promise<Result>): Promise<Result> {
  const folder = join(dataDirectory, artifactsFolder);
  const missing = [join(folder, stagingFolder), join(folder, retiredFolder), folder].filter(
    (path) => !existsSync(path),
  );
  try {
    return await change();
  } catch (error) {
    for (const path of missing) await removeEmpty(path);
    throw error;
  }
}

async function removeEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch {
    return; // another upload has a file in the folder, or has removed the folder
  }
}
