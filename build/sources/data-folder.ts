// Refuses an unsafe data folder before any write, with the reason (rows 50 and 51 of docs/reliability.md).

import { access, constants, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolder, removeEmptyFolders } from '../output/make-folder.ts';
import { isMissing, StorageError, withPath } from '../output/storage-error.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { storageFaultOf } from '../contract/storage-fault.ts';
import type { SourceSpec } from './spec.ts';

/** The entries of a data folder that belong to Libretto. */
export const ours: ReadonlySet<string> = new Set([
  'public',
  'index',
  'build',
  'state',
  'state.json',
  'keys',
  'artifacts',
  'mirror',
  'feeds',
  'log',
  'lost+found',
]);

/**
 * Runs `work` with the data folder's real path. Creates a missing folder, and removes it again if nothing was put into
 * it. Throws BuildRefused.
 */
export async function inDataFolder<Result>(
  path: string,
  work: (dataDirectory: string) => Promise<Result>,
): Promise<Result> {
  const { real, made } = await openOrRefuse(path);
  const build = join(real, 'build');
  const parts = [...made, ...(await makeFolder(build))];
  return work(real).finally(() => removeEmptyFolders(parts));
}

/** The data folder's real path. Creates a missing folder. Throws BuildRefused. */
export async function openDataFolder(path: string): Promise<string> {
  return (await openOrRefuse(path)).real;
}

interface Opened {
  readonly real: string;
  /** the folders that were missing, the outermost first */
  readonly made: readonly string[];
}

async function openOrRefuse(path: string): Promise<Opened> {
  try {
    return await openOrFail(path);
  } catch (error) {
    if (!(error instanceof StorageError) || storageFaultOf(error) !== undefined) throw error;
    throw new BuildRefused(
      `The data folder cannot be used. ${error.message} Name another folder with --data, or repair this one.`,
      { cause: error },
    );
  }
}

async function openOrFail(path: string): Promise<Opened> {
  const wanted = resolve(path);
  if (wanted === dirname(wanted) || wanted === resolve(homedir()))
    throw new BuildRefused(`The data folder cannot be ${wanted} itself. Name a separate folder with --data.`);
  await refuseForeign(wanted);
  const made = await makeFolder(wanted);
  await withPath(wanted, access(wanted, constants.W_OK));
  const real = await realpath(wanted);
  for (const name of ['public', 'index', 'build']) {
    const facts = await lstat(join(real, name)).catch((error: unknown) =>
      isMissing(error) ? undefined : Promise.reject(error),
    );
    if (facts?.isSymbolicLink() === true)
      throw new BuildRefused(
        `${join(real, name)} is a symbolic link. Make the data folder itself the link, or choose another one ` +
          'with --data: a build replaces files in it.',
      );
    if (facts !== undefined && !facts.isDirectory())
      throw new BuildRefused(
        `${join(real, name)} is a file where a folder of the registry should be. Choose another data folder ` +
          'with --data.',
      );
  }
  return { real, made };
}

async function refuseForeign(path: string): Promise<void> {
  const facts = await withPath(
    path,
    stat(path).catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error))),
  );
  if (facts === undefined) return;
  if (!facts.isDirectory()) throw new BuildRefused(`The data folder ${path} is a file. Name a folder with --data.`);
  const names = (await withPath(path, readdir(path))).filter((name) => !name.startsWith('.'));
  const foreign = names.filter((name) => !ours.has(name));
  if (foreign.length > 0 && !names.includes('index') && !names.includes('state')) {
    throw new BuildRefused(foreignFault(path, foreign));
  }
}

/** What a person reads who names a folder with other files as a new data folder. `names`: some of those files. */
export function foreignFault(path: string, names: readonly string[]): string {
  return (
    `The data folder ${path} already contains other files ` +
    `(${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}). Name an empty or new folder with --data.`
  );
}

/** Below the data folder: uploads, and what comes from other registries. They are sources of their own. */
const ownFolders = ['artifacts', 'build/adopt', 'build/receive'] as const;

/** Refuses a directory source that contains the data folder or is inside it: the source would read its own output. */
export function refuseOverlap(dataDirectory: string, spec: SourceSpec): void {
  const path = folderOf(spec);
  if (path === undefined) return;
  const { kind } = spec.place;
  if (kind !== 'git' && isBelow(dataDirectory, path)) {
    throw new BuildRefused(
      `The data folder ${dataDirectory} is inside the source ${path}. Move it out of there with --data.`,
    );
  }
  if (isBelow(path, dataDirectory) && !ownFolders.some((own) => isBelow(path, join(dataDirectory, own)))) {
    throw new BuildRefused(`The source ${path} is inside the data folder ${dataDirectory}. Keep sources elsewhere.`);
  }
}

/** undefined for a source that is no folder of this machine */
function folderOf({ place }: SourceSpec): string | undefined {
  return 'path' in place ? place.path : place.kind === 'received' ? place.tree : undefined;
}

/** True also for the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}
