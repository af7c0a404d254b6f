// A remote repository as a source sees it, in two steps. `fetch` asks the remote and updates the local copy: it may
// take minutes, and runs without the build's lock. `find` returns the content of the copy: it uses no network, and runs
// under the build's lock.

import { statSync } from 'node:fs';

import { waitForLock, type WaitOptions } from '../../output/wait-for-lock.ts';
import { makeFolder } from '../../output/make-folder.ts';
import { StorageError } from '../../output/storage-error.ts';
import { BuildBusy } from '../../contract/refusals.ts';
import { listRemoteRefs } from './list-remote-refs.ts';
import { findGitDirectory } from './git-directory.ts';
import type { GitEnvironment } from './git-environment.ts';
import { GitFailure, noCommits } from '../git-failure.ts';
import { parseGitUrl, type GitUrl } from '../git-url.ts';
import {
  discardCopy,
  gitMirrorFolder,
  mirrorLock,
  mirrorLockPath,
  readSnapshot,
  snapshotPath,
  type MirrorSnapshot,
} from './mirror-folder.ts';
import { fingerprintOf, hasRefs, type Refs } from './refs.ts';
import type { SelectRefs } from './selection.ts';

export interface RemoteMirrorOptions extends Pick<WaitOptions, 'stop' | 'progress'> {
  /** build/git */
  readonly cacheDirectory: string;
  /** for a fetch, and for the fetch of another build that is waited for */
  readonly timeoutMs: number;
  readonly askingTimeoutMs?: number | undefined;
  /** the limit of the copy; default 4 GiB */
  readonly maxBytes?: number | undefined;
  readonly environment: GitEnvironment;
  readonly now: () => Date;
}

export type MirrorLookup =
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'failed'; readonly reason: string }
  | { readonly outcome: 'unfetched' }
  | { readonly outcome: 'found'; readonly snapshot: MirrorSnapshot };

export interface RemoteMirror {
  /**
   * Contacts the remote, unless an earlier fetch is enough. `isKnown`: refs that need not be fetched. Never throws for
   * faults of the remote.
   */
  readonly fetch: (select: SelectRefs, isKnown: (refs: Refs) => boolean) => Promise<void>;
  /** `isKnown`: refs that need not be read. */
  readonly find: (isKnown: (refs: Refs) => boolean) => MirrorLookup;
  /** For a copy with broken objects: the next fetch makes a new one. */
  readonly discard: (copy: string) => void;
  /**
   * Does the work of `discard`, and makes this source fetch again. Works once: later it returns false, and the remote
   * is at fault.
   */
  readonly renew: (copy: string) => boolean;
}

/** The result of a fetch; `asked`: the copy was already up to date. */
type Answer = { readonly asked: Refs } | { readonly failed: string } | 'fetched';

const defaultMaxBytes = 4 * 1024 * 1024 * 1024;

export function createRemoteMirror(url: string, options: RemoteMirrorOptions): RemoteMirror {
  const folder = gitMirrorFolder(options.cacheDirectory, url);
  let answer: Answer | undefined;
  let renewed = false;
  return {
    async fetch(select, isKnown) {
      answer ??= await fetchMirror({ ...options, url, folder, select, isKnown }).catch((error: unknown) => ({
        failed: describeFailure(error),
      }));
    },
    find(isKnown) {
      const found = answer === undefined ? unfetched : findIn(folder, answer, isKnown);
      if (found.outcome === 'unfetched') answer = undefined;
      return found;
    },
    discard: (copy) => discardCopy(folder, copy),
    renew(copy) {
      if (renewed) return false;
      renewed = true;
      answer = undefined;
      discardCopy(folder, copy);
      return true;
    },
  };
}

const unfetched = { outcome: 'unfetched' } as const;

/** Another build may have fetched, and published, since the answer came: its snapshot is the newer one. */
function findIn(folder: string, answer: Answer, isKnown: (refs: Refs) => boolean): MirrorLookup {
  if (answer !== 'fetched' && 'failed' in answer) return { outcome: 'failed', reason: answer.failed };
  if (answer !== 'fetched' && isKnown(answer.asked)) return { outcome: 'unchanged' };
  const snapshot = readSnapshot(folder);
  if (snapshot === undefined || findGitDirectory(snapshot.copy) === undefined) return unfetched;
  if (isKnown(snapshot.refs)) return { outcome: 'unchanged' };
  return answer === 'fetched' || fingerprintOf(answer.asked) === fingerprintOf(snapshot.refs)
    ? { outcome: 'found', snapshot }
    : unfetched;
}

interface FetchOptions extends RemoteMirrorOptions {
  readonly url: string;
  readonly folder: string;
  readonly select: SelectRefs;
  readonly isKnown: (refs: Refs) => boolean;
}

/** Throws GitFailure, BuildBusy, StorageError. */
async function fetchMirror(options: FetchOptions): Promise<Answer> {
  const { url, folder, select, isKnown, now, stop, progress, timeoutMs, maxBytes = defaultMaxBytes } = options;
  const remote = parseGitUrl(url);
  if ('refusal' in remote) throw new GitFailure(remote.refusal);
  const before = stampOf(folder);
  const remoteRefs = await ask(remote, options);
  if (isKnown(remoteRefs)) return { asked: remoteRefs };
  await makeFolder(folder, 0o700);
  const lock = await waitForLock(mirrorLockPath(folder), now, timeoutMs, { lock: mirrorLock, stop, progress });
  try {
    // A concurrent fetch may have written a newer snapshot than this answer; a snapshot never goes back.
    const latest = stampOf(folder) === before ? remoteRefs : await ask(remote, options);
    const { updateMirror } = await import('./mirror.ts');
    await updateMirror({ remote, folder, environment: options.environment, stop, timeoutMs, maxBytes, select }, latest);
    return 'fetched';
  } finally {
    await lock.release();
  }
}

async function ask(
  remote: GitUrl,
  { environment, stop, timeoutMs, askingTimeoutMs = timeoutMs }: RemoteMirrorOptions,
): Promise<Refs> {
  const remoteRefs = await listRemoteRefs({ remote, environment, stop, timeoutMs: askingTimeoutMs });
  if (!hasRefs(remoteRefs)) throw noCommits();
  return remoteRefs;
}

/** Differs once another snapshot is there. */
function stampOf(folder: string): string {
  const facts = statSync(snapshotPath(folder), { bigint: true, throwIfNoEntry: false });
  return facts === undefined ? '' : `${facts.ino} ${facts.mtimeNs}`;
}

function describeFailure(error: unknown): string {
  if (error instanceof GitFailure || error instanceof BuildBusy || error instanceof StorageError) return error.message;
  if (error instanceof Error && 'code' in error) return error.message;
  throw error;
}
