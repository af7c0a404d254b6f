// What the feeds say about packages, for the rules of the policy: advisories and entries of filter lists.

import type { PackageName } from '../../build/contract/name.ts';
import { isUsable, type FeedRows, type Severity } from './model/feed-rows.ts';
import type { Shrinkage } from './model/shrinkage.ts';

export interface FeedAdvisory {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly severity: Severity | null;
  /** the affected versions: a constraint that Composer can parse */
  readonly constraint: string;
  readonly title: string;
  readonly link: string | null;
  /** the identifier of the feed */
  readonly feed: string;
}

export interface FeedEntry {
  readonly list: string;
  readonly constraint: string;
  readonly reason: string | null;
  readonly feed: string;
}

export interface FeedLists {
  /** empty for unknown names */
  readonly advisoriesOf: (name: PackageName) => readonly FeedAdvisory[];
  readonly entriesOf: (name: PackageName) => readonly FeedEntry[];
  /** changes whenever a list changes */
  readonly generation: number;
  /** false: a feed that may be asked about this name was not, or did not answer */
  readonly isLookedUp: (name: PackageName) => boolean;
}

/** The status of a feed. */
export interface FeedStatus {
  readonly id: string;
  readonly kind: 'osv' | 'upstream';
  readonly url: string;
  /** the number of advisories and entries that can block a version */
  readonly rows: number;
  /** when the feed last answered completely */
  readonly fetchedAt: string | null;
  readonly failingSince: string | null;
  /** all that is wrong, and remarks on rows; null: nothing */
  readonly problem: string | null;
  /** what is wrong with its file; null: nothing */
  readonly fileProblem: string | null;
  /** packages that it has not answered about yet: it blocks no version of them */
  readonly waiting: readonly PackageName[];
  /** an alarm: the newest answer is much smaller than the copy in use */
  readonly shrunk: Shrinkage | null;
}

/** The list of one feed. */
export interface ListedFeed {
  readonly id: string;
  /** undefined: the feed was not asked about this name */
  readonly rowsOf: (name: PackageName) => FeedRows | undefined;
  /** true: the feed was asked about this name, or the name does not belong to it */
  readonly knows: (name: PackageName) => boolean;
}

/** `feeds`: may have more feeds at each call. */
export function createFeedLists(feeds: () => readonly ListedFeed[], generation: number): FeedLists {
  return {
    generation,
    // without any feed, nobody has looked yet which feeds there are
    isLookedUp: (name) => feeds().length > 0 && feeds().every((feed) => feed.knows(name)),
    advisoriesOf: (name) =>
      feeds().flatMap(({ id, rowsOf }) =>
        (rowsOf(name)?.advisories ?? []).filter(isUsable).map(({ modified: _modified, ...advisory }) => ({
          ...advisory,
          feed: id,
        })),
      ),
    entriesOf: (name) =>
      feeds().flatMap(({ id, rowsOf }) =>
        (rowsOf(name)?.entries ?? []).filter(isUsable).map((entry) => ({ ...entry, feed: id })),
      ),
  };
}
