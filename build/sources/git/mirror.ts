// Updates the local copy of a remote repository: a bare copy, with the remote's branches and tags under their own
// names. The update fetches only if the remote's refs differ from the last snapshot. Needs the lock of the mirror's
// folder, and never the build's (mirror-folder.ts).

import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RemoteOptions } from './list-remote-refs.ts';
import { folderBytes } from './folder-bytes.ts';
import { findGitDirectory } from './git-directory.ts';
import { localEnvironment, remoteEnvironment, remoteOptions } from './git-environment.ts';
import { GitFailure, GitStopped } from '../git-failure.ts';
import { newCopyPath, readSnapshot, writeSnapshot } from './mirror-folder.ts';
import { readRefFiles } from './ref-files.ts';
import { fingerprintOf, type Head, type Refs } from './refs.ts';
import { runGit, type GitCommand, fetchingBytes } from './run-git.ts';
import type { SelectRefs } from './selection.ts';

export interface GitMirrorOptions extends RemoteOptions {
  /** the folder of the mirror (mirror-folder.ts); it exists */
  readonly folder: string;
  /** the copy may take this much of the disk */
  readonly maxBytes: number;
  /** selects the refs to fetch */
  readonly select: SelectRefs;
}

type CopyOptions = Omit<GitMirrorOptions, 'folder' | 'select'> & { readonly directory: string };

const watchEveryMs = 250;

/** Afterwards the snapshot has the refs of `asked`, or newer ones of the remote. Throws GitFailure. */
export async function updateMirror(options: GitMirrorOptions, asked: Refs): Promise<void> {
  const { folder, select } = options;
  const known = readSnapshot(folder);
  if (
    known !== undefined &&
    fingerprintOf(select(known.refs)) === fingerprintOf(select(asked)) &&
    findGitDirectory(known.copy) !== undefined
  )
    return;
  if (known !== undefined && (await fetchedInto({ ...options, directory: known.copy })))
    return takeSnapshot(options, known.copy, asked.head);
  const directory = newCopyPath(folder);
  try {
    await fetchInto({ ...options, directory });
    takeSnapshot(options, directory, asked.head);
  } catch (error) {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

/**
 * False if a new copy may help: a killed fetch may leave stale locks or half an object store, and a copy that is too
 * large may contain much that the remote has dropped. Throws GitFailure if git was stopped: a remote that hangs would
 * hang again.
 */
async function fetchedInto(options: CopyOptions): Promise<boolean> {
  try {
    await removeLeftovers(options.directory);
    await fetchInto(options);
    return true;
  } catch (error) {
    if (!(error instanceof GitFailure) || error instanceof GitStopped) throw error;
    return false;
  }
}

class TooLarge extends GitFailure {}

function takeSnapshot({ folder, remote }: GitMirrorOptions, copy: string, head: Head): void {
  const found = findGitDirectory(copy);
  const refs = found === undefined ? undefined : readRefFiles(found);
  if (refs === undefined) throw new GitFailure(`The copy of ${remote.url} could not be read after fetching.`);
  writeSnapshot(folder, { copy, refs: { ...refs, head } });
}

/** Removes the data that a killed fetch had received. */
async function removeLeftovers(directory: string): Promise<void> {
  const packs = join(directory, 'objects', 'pack');
  if (!existsSync(packs)) return;
  for (const name of await readdir(packs)) if (name.startsWith('tmp_')) await rm(join(packs, name), { force: true });
}

/**
 * Fetches only the requested tags: no submodules, no FETCH_HEAD, no automatic packing, no hook (git-environment.ts).
 */
async function fetchInto({ remote, directory, environment, timeoutMs, stop, maxBytes }: CopyOptions): Promise<void> {
  const shared = { environment: remoteEnvironment(environment, directory, remote.protocols), timeoutMs, stop };
  if (findGitDirectory(directory) === undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await runGit({
      ...shared,
      operands: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '--', directory],
    });
  }
  const flags = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-gc'];
  const operands = [
    ...remoteOptions(remote, timeoutMs),
    '-c',
    'fetch.unpackLimit=1',
    'fetch',
    ...flags,
    '--',
    remote.url,
    '+refs/heads/*:refs/heads/*',
    '+refs/tags/*:refs/tags/*',
  ];
  await runCapped(
    { ...shared, timeoutSetting: 'git.fetchTimeout', operands, memoryBytes: fetchingBytes },
    directory,
    maxBytes,
  );
  await runGit({ ...shared, operands: ['pack-refs', '--all'] });
  await tidy(
    {
      environment: localEnvironment(environment, directory),
      timeoutMs,
      stop,
      operands: ['repack', '-a', '-d', '-k', '-q'],
    },
    directory,
  );
}

const mostPacks = 30;

/**
 * Makes one pack of many, because every fetch adds one. Unreachable objects stay (-k), because another process may be
 * reading them. A copy that could not be packed is still usable.
 */
async function tidy(repack: GitCommand, directory: string): Promise<void> {
  const packs = (await readdir(join(directory, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  if (packs.length <= mostPacks) return;
  await runGit(repack).catch((error: unknown) => (error instanceof GitFailure ? undefined : Promise.reject(error)));
}

/** Stops a fetch that fills the disk, and removes its data. */
async function runCapped(command: GitCommand, directory: string, maxBytes: number): Promise<void> {
  const isFull = async (): Promise<boolean> => (await folderBytes(directory, maxBytes)) > maxBytes;
  let full = false;
  const watch = { everyMs: watchEveryMs, mustStop: async () => (full ||= await isFull()) };
  try {
    await runGit({ ...command, watch });
    full = await isFull();
  } catch (error) {
    if (!full) throw error;
  }
  if (!full) return;
  await removeLeftovers(directory);
  throw new TooLarge(
    `The repository is larger than ${describeBytes(maxBytes)}, the maximum for a remote repository. Clone it ` +
      `yourself, and name the path of the clone as the source.`,
  );
}

function describeBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power] ?? ''}`;
}
