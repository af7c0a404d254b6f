// `libretto policy feeds`: the feeds of advisories and filter lists, and how old their copies are. `--accept` takes a
// list that has become much smaller.

import type { FeedStatus } from '../../../proxy/advisory-feeds/feed-lists.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';
import { runPolicyCommand } from './policy-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const accepted = given.flags['accept'];
  return runPolicyCommand(
    context,
    given,
    async ({ policy, feeds, json }) => {
      if (typeof accepted === 'string') await policy.acceptFeed(accepted, context.actor);
      if (json) printJson(context.stdout, { feeds: await policy.feeds() });
      else if (feeds().length === 0) printLines(context.remarks, ['This registry reads no feeds.']);
      else printLines(context.stdout, feedTable(feeds()));
      return 0;
    },
    { changes: typeof accepted === 'string', area: 'all' },
  );
}

function feedTable(feeds: readonly FeedStatus[]): readonly string[] {
  return formatTable(
    ['FEED', 'KIND', 'ROWS', 'FETCHED', 'STATUS', 'ADDRESS'],
    feeds.map((feed) => [feed.id, feed.kind, String(feed.rows), feed.fetchedAt ?? 'never', statusOf(feed), feed.url]),
  );
}

function statusOf(feed: FeedStatus): string {
  const { rows, fetchedAt, shrunk, failingSince: since, problem } = feed;
  const hasCopy = fetchedAt !== null || rows > 0;
  if (shrunk !== null) return `shrunk from ${shrunk.from} to ${shrunk.to}; the former copy is used`;
  if (since !== null) return `${hasCopy ? '' : 'no copy; '}failing since ${since}: ${problem ?? 'unknown'}`;
  if (!hasCopy) return `no copy: ${problem ?? 'it was not read yet'}`;
  return problem === null ? 'ok' : `${stateOf(feed)}: ${problem}`;
}

/** A remark on rows does not keep a feed from working. */
function stateOf({ fileProblem, waiting }: FeedStatus): string {
  if (fileProblem !== null) return 'damaged file';
  return waiting.length > 0 ? 'waiting for answers' : 'ok';
}
