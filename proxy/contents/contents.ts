// Looks into archives for pages. A thread does the work, within limits of time and memory, and answers are cached by
// the digest of the archive. A publication may purge a version, so each one empties the cache.

import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { ThreadBusy, type RunInThread } from '../packages/worker-thread.ts';
import type { ComparedFiles } from './compare-files.ts';
import { unseen, type FileDifference, type InsideView, type rawFile, type Unseen } from './look-inside.ts';

/** What the worker is asked. */
export interface Look {
  readonly kind: 'look' | 'raw' | 'known' | 'compare' | 'list';
  /** absolute paths */
  readonly archives: readonly string[];
  readonly paths: readonly string[];
  readonly page?: number;
  /** true: words are not highlighted */
  readonly isPlain?: boolean;
  /** true: equal files are listed, too */
  readonly showsAll?: boolean;
}

export interface ContentsParts {
  readonly published: Pick<PublishedFiles, 'epoch'>;
  /** the absolute path of an archive */
  readonly fileOf: (archive: IndexEntry) => string;
  readonly run: RunInThread;
  readonly now: () => number;
  /** receives the error of a file that is not shown */
  readonly onUnseen: (error: unknown) => void;
}

const cacheBytes = 16 * 1024 * 1024;
const longestMs = 10_000;
const mostArchiveBytes = 64 * 1024 * 1024;
const large = unseen(`The archive has more than ${mostArchiveBytes >> 20} MiB, which is too much for a page.`);
const slow = unseen('This takes too much time or memory to show.');
const busy = unseen('The server shows many other files at the moment. Try again.');

export type Contents = ReturnType<typeof createContents>;

/** Paths are those of files and folders in the package; empty: its root. undefined: there is no such file. */
export function createContents(parts: ContentsParts) {
  const ask = createAsk(parts);
  return {
    look: (archive: IndexEntry, path: string, page: number) =>
      ask<InsideView | undefined>([archive], { kind: 'look', paths: [path], page }),
    raw: (archive: IndexEntry, path: string) =>
      ask<ReturnType<typeof rawFile>>([archive], { kind: 'raw', paths: [path] }),
    /** Which of `paths` are files of the archive. */
    known: async (archive: IndexEntry, paths: readonly string[]): Promise<readonly string[]> => {
      const answer = await ask<readonly string[]>([archive], { kind: 'known', paths });
      return 'kind' in answer ? [] : answer;
    },
    compare: (before: IndexEntry, after: IndexEntry, path: string) =>
      ask<FileDifference | undefined>([before, after], { kind: 'compare', paths: [path] }),
    compareFiles: (before: IndexEntry, after: IndexEntry, showsAll: boolean) =>
      ask<ComparedFiles>([before, after], { kind: 'list', paths: [], showsAll }),
  };
}

function createAsk({ published, fileOf, run, now, onUnseen }: ContentsParts) {
  const cache = new ByteCache<{ readonly answer: unknown }>(cacheBytes);
  let known = 0;
  return async <Answer>(archives: readonly IndexEntry[], look: Omit<Look, 'archives'>): Promise<Answer | Unseen> => {
    if (archives.some(({ size }) => size > mostArchiveBytes)) return large;
    const epoch = await published.epoch(now());
    if (epoch !== known) cache.clear();
    known = epoch;
    const key = JSON.stringify([archives.map(({ shasum }) => shasum), look]);
    const found = cache.get(key);
    if (found !== undefined) return found.answer as Answer;
    const call = (isPlain: boolean): Promise<Answer | Unseen> =>
      run('lookInto', { ...look, isPlain, archives: archives.map(fileOf) }, longestMs);
    // a text that takes too long to highlight is shown plain
    const answer = await call(false)
      .catch((error: unknown): Promise<Answer | Unseen> =>
        error instanceof ThreadBusy ? Promise.resolve(busy) : call(true),
      )
      .catch((error: unknown) => {
        onUnseen(error);
        return slow;
      });
    if (answer !== busy && epoch === known) cache.set(key, { answer }, weightOf(answer));
    return answer;
  };
}

function weightOf(answer: unknown): number {
  const isRaw = typeof answer === 'object' && answer !== null && 'bytes' in answer;
  return 1000 + (isRaw ? (answer.bytes as Uint8Array).length : (JSON.stringify(answer) ?? '').length * 2);
}
