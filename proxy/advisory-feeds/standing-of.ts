// How a feed stands, from its copy and from how its last run ended.

import type { FeedStanding } from './feed-lists.ts';
import type { NamedFeed } from './named-feed.ts';
import type { RunStanding } from './standing-file.ts';
import type { StoredFeed } from './stored-feed.ts';

/** `run` undefined: the feed was never asked. */
export function standingOf(
  { id, kind, url }: NamedFeed,
  stored: StoredFeed,
  run: RunStanding | undefined,
): FeedStanding {
  const { failingSince = null, problem = null } = run ?? {};
  return {
    id,
    kind,
    url,
    rows: stored.table.rows,
    fetchedAt: stored.fetchedAt,
    failingSince,
    problem: stored.fileProblem ?? problem,
    shrunk: stored.shrunk,
  };
}
