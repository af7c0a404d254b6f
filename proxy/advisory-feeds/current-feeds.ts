// The feeds that are configured now, and their lists. Lists on disk are in use from the start, before anyone knows
// which upstreams are configured. The list of a feed that is not configured any more does not count.

import { readdirSync } from 'node:fs';
import { isAbsence } from '../../build/shared/files/file-stamp.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { ReportFeedEvent } from './feed-event.ts';
import { feedOfFile } from './feed-file.ts';
import type { FeedSource } from './feed-source.ts';
import { StoredFeed } from './stored-feed.ts';

export interface CurrentFeed {
  readonly source: FeedSource;
  readonly stored: StoredFeed;
}

export interface CurrentFeedsOptions {
  readonly folder: string;
  /** Gives the same array while the feeds are the same. */
  readonly sources: () => MaybeAsync<readonly FeedSource[]>;
  readonly report: ReportFeedEvent;
  readonly changed: () => void;
}

export type CurrentFeeds = ReturnType<typeof createCurrentFeeds>;

export function createCurrentFeeds({ folder, sources, report, changed }: CurrentFeedsOptions) {
  const open = (id: string): StoredFeed => new StoredFeed({ id, folder, report, changed });
  const stored = new Map(idsIn(folder, report).map((id) => [id, open(id)]));
  let known: readonly CurrentFeed[] = [];
  let last: readonly FeedSource[] | undefined;
  const use = (now: readonly FeedSource[]): readonly CurrentFeed[] => {
    if (now === last) return known;
    last = now;
    const ids = new Set(now.map(({ id }) => id));
    for (const id of stored.keys()) if (!ids.has(id)) stored.delete(id);
    known = now.map((source) => {
      const feed = stored.get(source.id) ?? open(source.id);
      feed.expect(source.url);
      stored.set(source.id, feed);
      return { source, stored: feed };
    });
    changed();
    return known;
  };
  return {
    /** Rejects if the configuration cannot be read: the last known feeds stay in use. */
    update: () => andThen(sources(), use),
    known: () => known,
    /** Those without a known source, too. */
    stored: () => [...stored.values()],
  };
}

function idsIn(folder: string, report: ReportFeedEvent): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => feedOfFile(name) ?? []);
  } catch (error) {
    if (!isAbsence(error)) report({ kind: 'feed-file', feed: 'all', message: `${folder}: ${messageOf(error)}.` });
    return [];
  }
}
