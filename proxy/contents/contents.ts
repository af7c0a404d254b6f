// Looks into archives for pages. A thread does the work, within limits of time and memory, and answers are cached by
// the digest of the archive. A publication may purge a version, so each one empties the cache. Each person has one call
// in the thread at a time: whoever asks for much waits longer, and nobody else does. A file that takes too long is not
// read again, and after some of them its whole archive.

import pLimit, { type LimitFunction } from 'p-limit';
import { RegistryError } from '../../build/contract/errors.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import type { ArchiveReview } from '../../build/review/review-archives.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { ThreadBusy, type RunInThread } from '../packages/worker-thread.ts';
import type { ComparedFiles } from './compare-files.ts';
import { unseen, type FileDifference, type InsideView, type rawFile, type Unseen } from './look-inside.ts';

/** A question to the worker thread. */
export interface Look {
  readonly kind: 'look' | 'raw' | 'known' | 'compare' | 'list' | 'review';
  /** absolute paths, each with what changes with its content */
  readonly archives: readonly { readonly file: string; readonly identity: string }[];
  readonly paths: readonly string[];
  readonly page?: number;
  /** of a folder: only files whose paths have them */
  readonly words?: string;
  /** true: words are not highlighted */
  readonly isPlain?: boolean;
  /** true: equal files are listed, too */
  readonly showsAll?: boolean;
}

/** The source of an archive that is staged: its path is below the data folder. */
export const stagedSource = 'staged';

export interface ContentsParts {
  readonly published: Pick<PublishedFiles, 'epoch'>;
  /** the absolute path of an archive; undefined: there is none. Rejects if an object store does not give it */
  readonly fileOf: (archive: IndexEntry) => MaybeAsync<string | undefined>;
  readonly run: RunInThread;
  readonly now: () => number;
  /** receives the error of a file that is not shown */
  readonly onUnseen: (error: unknown) => void;
}

/** Kinds of calls that may do without it. */
const highlighted = new Set<Look['kind']>(['look', 'compare']);
const cacheBytes = 16 * 1024 * 1024;
const longestMs = 10_000;
/** Calls of one person that may wait: a README may have so many pictures. */
const mostOfPerson = 100;
/** Files of an archive that may take too long: each keeps the thread from others. */
const mostSlow = 3;
const mostArchiveBytes = 64 * 1024 * 1024;
const large = unseen(`The archive has more than ${mostArchiveBytes >> 20} MiB, which is too much for a page.`);
const elsewhere = unseen('The archive cannot be read from the object store at the moment. Try again.');
const slow = unseen('This takes too much time or memory to show.');
const busy = (): RegistryError =>
  new RegistryError('OVERLOADED', {
    message: 'The server shows many other files at the moment. Try again.',
    details: { retry_after_seconds: 2 },
  });

export type Contents = ReturnType<ReturnType<typeof createContents>>;

/** A person, and whether the client no longer waits for the answer. */
export interface Viewer {
  readonly caller: { readonly userId: string };
  readonly isGone: () => boolean;
}

/**
 * The contents for a person. Paths are those of files and folders in the package; empty: its root. undefined: there is
 * no such file. Throws OVERLOADED.
 */
export function createContents(parts: ContentsParts) {
  const ask = createAsk(parts);
  return (viewer: Viewer) => contentsFor((archives, look) => ask(viewer, archives, look));
}

type Ask = <Answer>(archives: readonly IndexEntry[], look: Omit<Look, 'archives'>) => Promise<Answer | Unseen>;

function contentsFor(ask: Ask) {
  return {
    look: (archive: IndexEntry, path: string, page: number, words = '') =>
      ask<InsideView | undefined>([archive], { kind: 'look', paths: [path], page, words }),
    raw: (archive: IndexEntry, path: string) =>
      ask<ReturnType<typeof rawFile>>([archive], { kind: 'raw', paths: [path] }),
    /** Which of `paths` are files of the archive. All, where the server is too busy to look: their pages say so. */
    known: async (archive: IndexEntry, paths: readonly string[]): Promise<readonly string[]> => {
      const answer = await ask<readonly string[]>([archive], { kind: 'known', paths }).catch((error: unknown) => {
        if (error instanceof RegistryError) return paths;
        throw error;
      });
      return 'kind' in answer ? [] : answer;
    },
    compare: (before: IndexEntry, after: IndexEntry, path: string) =>
      ask<FileDifference | undefined>([before, after], { kind: 'compare', paths: [path] }),
    compareFiles: (before: IndexEntry, after: IndexEntry, showsAll: boolean) =>
      ask<ComparedFiles>([before, after], { kind: 'list', paths: [], showsAll }),
    review: (before: IndexEntry, after: IndexEntry) =>
      ask<ArchiveReview>([before, after], { kind: 'review', paths: [] }),
  };
}

function createAsk({ published, fileOf, run, now, onUnseen }: ContentsParts) {
  const cache = new ByteCache<{ readonly answer: unknown }>(cacheBytes);
  const inTurn = createTurns();
  const slowFiles = new Map<string, ReadonlySet<string>>();
  let known = 0;
  const answer = async <Answer>(
    archives: readonly IndexEntry[],
    look: Omit<Look, 'archives'>,
  ): Promise<Answer | Unseen> => {
    const epoch = await published.epoch(now());
    if (epoch !== known) for (const kept of [cache, slowFiles]) kept.clear();
    known = epoch;
    const digests = JSON.stringify(archives.map(({ shasum }) => shasum));
    const key = digests + JSON.stringify(look);
    const found = cache.get(key);
    if (found !== undefined) return found.answer as Answer;
    const [slowOnes, paths] = [slowFiles.get(digests) ?? new Set<string>(), look.paths.join('/')];
    if (slowOnes.has(paths) || slowOnes.size >= mostSlow) return slow;
    const files = await filesOf(archives, fileOf, epoch).catch(onUnseen);
    if (files === undefined) return elsewhere;
    const call = (isPlain: boolean): Promise<Answer | Unseen> =>
      run<Answer | Unseen>('lookInto', { ...look, isPlain, archives: files }, longestMs).catch((error: unknown) => {
        throw error instanceof ThreadBusy ? busy() : error;
      });
    // a text that takes too long to highlight is shown plain
    const made = await call(false)
      .catch((error: unknown) =>
        highlighted.has(look.kind) && !(error instanceof RegistryError) ? call(true) : Promise.reject(error as Error),
      )
      .catch((error: unknown) => {
        if (error instanceof RegistryError) throw error;
        onUnseen(error);
        slowFiles.set(digests, new Set([...slowOnes, paths])); // the next call would take as long
        return slow;
      });
    if (epoch === known) cache.set(key, { answer: made }, weightOf(made));
    return made;
  };
  return async <Answer>(viewer: Viewer, ...[archives, look]: Parameters<Ask>): Promise<Answer | Unseen> =>
    archives.some(({ size }) => size > mostArchiveBytes) ? large : inTurn(viewer, () => answer<Answer>(archives, look));
}

/** undefined: one of the archives has no file. */
async function filesOf(
  archives: readonly IndexEntry[],
  fileOf: ContentsParts['fileOf'],
  epoch: number,
): Promise<Look['archives'] | undefined> {
  const found: Look['archives'][number][] = [];
  for (const archive of archives) {
    const file = await fileOf(archive);
    if (file === undefined) return undefined;
    found.push({ file, identity: `${epoch} ${archive.shasum}` });
  }
  return found;
}

/** One call of a person at a time. Calls for clients that have gone take no turn. */
function createTurns(): <Result>(viewer: Viewer, call: () => Promise<Result>) => Promise<Result> {
  const turns = new Map<string, { readonly limit: LimitFunction; readonly waiting: Set<Viewer> }>();
  return async (viewer, call) => {
    const { userId } = viewer.caller;
    const { limit, waiting } = turns.get(userId) ?? { limit: pLimit(1), waiting: new Set<Viewer>() };
    turns.set(userId, { limit, waiting });
    if ([...waiting].filter(({ isGone }) => !isGone()).length >= mostOfPerson) throw busy();
    waiting.add(viewer);
    const inTurn = (): ReturnType<typeof call> => {
      waiting.delete(viewer);
      return viewer.isGone() ? Promise.reject(busy()) : call();
    };
    return limit(inTurn).finally(() => {
      if (limit.activeCount + limit.pendingCount === 0) turns.delete(userId);
    });
  };
}

function weightOf(answer: unknown): number {
  const isRaw = typeof answer === 'object' && answer !== null && 'bytes' in answer;
  return 1000 + (isRaw ? (answer.bytes as Uint8Array).length : (JSON.stringify(answer) ?? '').length * 2);
}
