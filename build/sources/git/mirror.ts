// The local copy of a remote repository: bare, holds its branches and tags under their own names, and can be deleted at any time. Nothing is
// fetched while the remote's refs are as the copy has them. Only one build at a time works in here (the lock of the data folder).

import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RemoteOptions } from './ask-remote.ts';
import { folderBytes } from './folder-bytes.ts';
import { findGitDirectory } from './git-directory.ts';
import { remoteEnvironment, remoteOptions } from './git-environment.ts';
import { GitFailure } from './git-failure.ts';
import { fetchingBytes } from './limited-git.ts';
import { readRefFiles } from './ref-files.ts';
import { fingerprintOf, type Head, type Refs } from './refs.ts';
import { runGit, type GitCommand } from './run-git.ts';
import type { SelectRefs } from './selection.ts';

export interface MirrorOptions extends RemoteOptions {
  /** of the copy; need not exist */
  readonly directory: string;
  /** the copy may take this much of the disk */
  readonly maxBytes: number;
  /** only these refs matter */
  readonly select: SelectRefs;
}

const watchEveryMs = 250;

/** Brings the copy to what the remote has now, and gives the refs that matter: of `asked`, unless the remote has moved in between. Throws GitFailure. */
export async function updateMirror(options: MirrorOptions, asked: Refs): Promise<Refs> {
  const { directory, select, remote } = options;
  const known = readMirror(directory, asked.head);
  if (known !== undefined && fingerprintOf(select(known)) === fingerprintOf(select(asked))) return select(asked);
  const fresh = !existsSync(directory);
  await removeLeftovers(directory);
  try {
    await fetchInto(options);
  } catch (error) {
    // A copy left by a kill may have stale locks or half an object store: the remote answered, so a fresh copy is worth one more try.
    if (!(error instanceof GitFailure) || error instanceof TooLarge || fresh || options.stop?.aborted === true) throw error;
    await removeMirror(directory);
    await fetchInto(options);
  }
  const fetched = readMirror(directory, asked.head);
  if (fetched === undefined) throw new GitFailure(`The copy of ${remote.url} could not be read after fetching.`);
  return select(fetched);
}

export async function removeMirror(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

class TooLarge extends GitFailure {}

function readMirror(directory: string, head: Head): Refs | undefined {
  const found = findGitDirectory(directory);
  const refs = found === undefined ? undefined : readRefFiles(found);
  return refs === undefined ? undefined : { ...refs, head };
}

/** What a fetch that was killed had received until then. */
async function removeLeftovers(directory: string): Promise<void> {
  const packs = join(directory, 'objects', 'pack');
  if (!existsSync(packs)) return;
  for (const name of await readdir(packs)) if (name.startsWith('tmp_')) await rm(join(packs, name), { force: true });
}

/** No tags but those asked for, no submodules, no FETCH_HEAD, no packing on the side; and no hook (git-environment.ts). */
async function fetchInto({ remote, directory, environment, timeoutMs, stop, maxBytes }: MirrorOptions): Promise<void> {
  const shared = { environment: remoteEnvironment(environment, directory, remote.protocols), timeoutMs, stop };
  if (findGitDirectory(directory) === undefined) {
    await removeMirror(directory);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await runGit({ ...shared, operands: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '--', directory] });
  }
  const flags = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-gc'];
  const operands = [...remoteOptions(remote, timeoutMs), '-c', 'fetch.unpackLimit=1', 'fetch', ...flags, '--', remote.url, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
  await runCapped({ ...shared, timeoutSetting: 'git.fetchTimeout', operands, memoryBytes: fetchingBytes }, directory, maxBytes);
  await runGit({ ...shared, operands: ['pack-refs', '--all'] });
  await runGit({ ...shared, operands: [...tidyOptions, 'gc', '--auto', '--quiet'] });
}

/** Packs the copy once many fetches have left many pieces, before anything reads it. */
const tidyOptions = ['-c', 'gc.auto=3000', '-c', 'gc.autoPackLimit=30', '-c', 'gc.autoDetach=false'] as const;

/** Stops a fetch that fills the disk, and removes what it had received. */
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
  if (await isFull()) await removeMirror(directory);
  throw new TooLarge(`The repository is larger than ${describeBytes(maxBytes)}, the most that is kept of a remote one. Fetch it yourself and name the copy's path as the source.`);
}

function describeBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power] ?? ''}`;
}
