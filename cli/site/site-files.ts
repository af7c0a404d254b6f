// The files of a catalogue on the disk. Each is replaced as a whole, and left alone if it already has these bytes.

import { readdirSync, readFileSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere, replaceFile } from '../../build/shared/files/atomic-file.ts';
import { errorCode, isMissing, withPath, withPathSync } from '../../build/output/storage-error.ts';
import { isOwnPath } from './site-record.ts';

/** In the folder of a catalogue, these have files of nobody else. */
const ownFolders: ReadonlySet<string> = new Set(['assets', 'packages']);

/** Web servers run as other users. */
const readableByAll = 0o644;

/** Resolves to false if the file has these bytes already. `path`: below `folder`. Throws StorageError. */
export async function writeIfChanged(folder: string, path: string, content: string | Buffer): Promise<boolean> {
  const target = join(folder, path);
  const bytes = Buffer.from(content);
  if (readIfThere(target)?.equals(bytes) === true) return false;
  await withPath(target, replaceFile(target, [bytes], readableByAll));
  return true;
}

/** Removes the file, and the folders that are empty without it. Throws StorageError. */
export async function removeFile(folder: string, path: string): Promise<void> {
  const target = join(folder, path);
  await withPath(
    target,
    unlink(target).catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error))),
  );
  for (let parent = dirname(target); parent !== folder; parent = dirname(parent)) {
    try {
      await rmdir(parent);
    } catch (error) {
      if (isMissing(error)) continue;
      if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return;
      await withPath(parent, Promise.reject(error));
    }
  }
}

export function areThere(folder: string, paths: readonly string[]): boolean {
  return paths.every((path) => isThere(join(folder, path)));
}

/** undefined: there is no such file. Synchronously: pages are small, and there are thousands. */
export function readIfThere(path: string): Buffer | undefined {
  return withPathSync(path, () => {
    try {
      return readFileSync(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

/** All files that only a catalogue has here, temporary ones of a killed process among them. Follows no links. */
export function listOwnFiles(folder: string): readonly string[] {
  return filesBelow(folder, '').filter((path) => isOwnPath(path.replace(/\.[0-9a-f-]{36}\.partial$/, '')));
}

/** `way`: to a folder below `root`, empty or with a slash at its end. */
function filesBelow(root: string, way: string): readonly string[] {
  const isRoot = way === '';
  return readdirSync(join(root, way), { withFileTypes: true }).flatMap((entry) => {
    const path = `${way}${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return isRoot && !ownFolders.has(path) ? [] : filesBelow(root, `${path}/`);
  });
}
