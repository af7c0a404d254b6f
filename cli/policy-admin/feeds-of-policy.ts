// What people do with the feeds of the policy: they see the status of each, and accept a list that has become much
// smaller.

import type { Feeds } from '../../proxy/advisory-feeds/feeds.ts';
import { notFound } from '../../proxy/policy/admin/explain-version.ts';
import type { PolicyFeeds } from '../../proxy/policy/admin/policy-admin.ts';
import type { AuditedStore } from '../../proxy/state/audit.ts';
import type { FeedStatus } from '../../proxy/advisory-feeds/feed-lists.ts';
import type { FeedView } from '../../proxy/policy/admin/policy-views.ts';

/** `opened`: undefined while a server has not opened them. */
export function policyFeeds(opened: () => Feeds | undefined, store: AuditedStore): PolicyFeeds {
  return {
    statuses: () => Promise.resolve(opened()?.statuses().map(feedView) ?? []),
    accept: async (id, actor) => {
      const feeds = opened();
      const before = feeds?.statuses().find((feed) => feed.id === id);
      if (feeds === undefined || before === undefined)
        throw notFound(`There is no feed ${JSON.stringify(id.slice(0, 80))}.`);
      if (before.shrunk === null || !(await feeds.accept(id)))
        throw notFound(`The feed ${id} has no smaller list that waits to be accepted.`);
      const { from, to } = before.shrunk;
      await store.commit(
        { conditions: [], puts: [], deletes: [] },
        { actor, action: 'policy.feed_accept', subject: id, details: { from, to } },
      );
      return feedView(feeds.statuses().find((feed) => feed.id === id) ?? { ...before, shrunk: null });
    },
  };
}

// The status of a feed, in the words of the management API. Pure.

function feedView({ id, kind, url, rows, fetchedAt, failingSince, problem, shrunk }: FeedStatus): FeedView {
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
