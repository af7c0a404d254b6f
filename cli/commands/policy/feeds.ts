// `libretto policy feeds`: the feeds of advisories and filter lists, and how old their copies are. `--accept` takes a
// list that has become much smaller.

import type { FeedView } from '../../../proxy/policy/admin/policy-admin.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';
import { runPolicyCommand } from './policy-command.ts';

export function run(context: Context, given: Given): Promise<number> {
  const accepted = given.flags['accept'];
  return runPolicyCommand(
    context,
    given,
    async ({ policy, json }) => {
      if (typeof accepted === 'string') await policy.acceptFeed(accepted, context.actor);
      const feeds = await policy.feeds();
      if (json) printJson(context.stdout, { feeds });
      else if (feeds.length === 0) printLines(context.remarks, ['This registry reads no feeds.']);
      else printLines(context.stdout, feedTable(feeds));
      return 0;
    },
    { changes: typeof accepted === 'string', area: 'all' },
  );
}

function feedTable(feeds: readonly FeedView[]): readonly string[] {
  return formatTable(
    ['FEED', 'KIND', 'ROWS', 'FETCHED', 'STATUS', 'ADDRESS'],
    feeds.map((feed) => [feed.id, feed.kind, String(feed.rows), feed.fetched_at ?? 'never', statusOf(feed), feed.url]),
  );
}

function statusOf({ rows, fetched_at: at, shrunk, failing_since: since, problem }: FeedView): string {
  const copy = at === null && rows === 0 ? 'no copy; ' : '';
  const remark = problem === null ? '' : `: ${problem}`;
  if (shrunk !== null) return `shrunk from ${shrunk.from} to ${shrunk.to}; the former copy is used`;
  if (since === null) return copy === '' ? `ok${remark}` : `no copy: ${problem ?? 'it was not read yet'}`;
  return `${copy}failing since ${since}: ${problem ?? 'unknown'}`;
}
