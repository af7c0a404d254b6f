// What happens to feeds, for the log. No text in it has a query or a credential.

import type { Shrinkage } from './model/shrinkage.ts';

export type FeedEvent =
  /** the feed gave no usable answer: the last good copy stays in use, if there is one */
  | ({ readonly kind: 'feed-failed'; readonly feed: string; readonly message: string } & WithCopy)
  | { readonly kind: 'feed-recovered'; readonly feed: string }
  /** an alarm: the newest list is much smaller than the copy in use, which stays in use */
  | ({ readonly kind: 'feed-shrunk'; readonly feed: string; readonly message: string } & Shrinkage)
  /** the file of a feed is damaged, or cannot be written */
  | ({ readonly kind: 'feed-file'; readonly feed: string; readonly message: string } & WithCopy);

interface WithCopy {
  /** there is no copy of the feed: it blocks nothing now */
  readonly copy?: 'none';
}

export type ReportFeedEvent = (event: FeedEvent) => void;
