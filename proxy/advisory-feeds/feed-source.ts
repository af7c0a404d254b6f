// The port to a feed: what is asked, and what an answer is.

import type { PackageName } from '../../build/contract/name.ts';
import type { FeedRows } from './model/feed-rows.ts';
import type { NamedFeed } from './named-feed.ts';

export interface FeedSource extends NamedFeed {
  /** The names that may be asked about: an upstream learns no private name (I9). */
  readonly mine: (names: Iterable<PackageName>) => Promise<readonly PackageName[]>;
  /** `before`: the rows of the copy in use. Rejects only with the reason of an ended signal. */
  readonly ask: (names: readonly PackageName[], before: RowsBefore, signal: AbortSignal) => Promise<FeedAnswer>;
  /** Rejects with FeedFailure, or with the reason of an ended signal. */
  readonly askAbout: (name: PackageName, signal: AbortSignal) => Promise<FeedRows>;
}

export type RowsBefore = (name: PackageName) => FeedRows | undefined;

export interface FeedAnswer {
  /** the packages that the feed answered about; all others keep their rows */
  readonly rows: ReadonlyMap<PackageName, FeedRows>;
  /** why not all were answered; undefined: they were */
  readonly failure: string | undefined;
  /** sentences about rows that were left out */
  readonly remarks: readonly string[];
  /** true: the next run should come soon, because the feed has more than one run reads */
  readonly unfinished: boolean;
}
