// How a feed stands, in the words of the management API. Pure.

import type { FeedStanding } from '../../proxy/advisory-feeds/feed-lists.ts';
import type { FeedView } from '../../proxy/policy/admin/policy-admin.ts';

export function feedView({ id, kind, url, rows, fetchedAt, failingSince, problem, shrunk }: FeedStanding): FeedView {
  return {
    id,
    kind,
    url,
    rows,
    fetched_at: fetchedAt,
    failing_since: failingSince,
    problem,
    shrunk: shrunk === null ? null : { from: shrunk.from, to: shrunk.to },
  };
}
