// Why archives were refused, for people who ask later: one file for each version, until its archive is accepted or
// `mirror prune` removes the file. No decision depends on these files.

import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { replaceFile } from '../../../build/shared/files/atomic-file.ts';
import { entriesIn } from './accepted-archive-store.ts';

/** Below the folder of the mirror. */
export const refusedFolder = 'refused';

/** A type, not an interface: it is printed as JSON. */
export type RefusedArchive = { readonly version: string; readonly reason: string; readonly refused_at: string };

/** `folder`: of the mirror. `key`: of the version's record. */
export async function noteRefusal(folder: string, name: PackageName, key: string, why: RefusedArchive): Promise<void> {
  const path = pathOf(folder, name, key);
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, [JSON.stringify(why)]);
}

export async function forgetRefusal(folder: string, name: PackageName, key: string): Promise<void> {
  await rm(pathOf(folder, name, key), { force: true });
}

/** A file that cannot be read counts as absent. */
export async function refusedArchives(folder: string, name: PackageName): Promise<readonly RefusedArchive[]> {
  const paths = (await entriesIn(join(folder, refusedFolder, name))).map((file) =>
    join(folder, refusedFolder, name, file),
  );
  return (await Promise.all(paths.map(readRefusal))).flat();
}

async function readRefusal(path: string): Promise<readonly RefusedArchive[]> {
  try {
    const why: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!isJsonObject(why)) return [];
    const { version, reason, refused_at: refusedAt } = why;
    return [{ version: String(version), reason: String(reason), refused_at: String(refusedAt) }];
  } catch {
    return []; // removed since it was listed, or damaged: the next refusal writes it again
  }
}

function pathOf(folder: string, name: PackageName, key: string): string {
  return join(folder, refusedFolder, name, `${key}.json`);
}
