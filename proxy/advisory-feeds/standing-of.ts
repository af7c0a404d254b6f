// How a feed stands, from its copy, from how its last run ended, and from the packages that wait for its first answer.

import type { PackageName } from '../../build/contract/name.ts';
import type { FeedStanding } from './feed-lists.ts';
import type { NamedFeed } from './named-feed.ts';
import type { RunStanding } from './standing-file.ts';
import type { StoredFeed } from './stored-feed.ts';

const mostNamed = 5;

/** `waiting`: the packages of this process; those of the leading one are in `run`. */
export function standingOf(
  { id, kind, url }: NamedFeed,
  stored: StoredFeed,
  run: RunStanding,
  waiting: readonly PackageName[] = [],
): FeedStanding {
  const unknown = [...new Set([...run.waiting, ...waiting])].filter((name) => !stored.knows(name));
  const sentences = [stored.fileProblem ?? [], run.problem ?? [], waitingText(unknown)].flat();
  return {
    id,
    kind,
    url,
    rows: stored.table.rows,
    fetchedAt: stored.fetchedAt,
    failingSince: run.failingSince,
    problem: sentences.length === 0 ? null : sentences.join(' '),
    fileProblem: stored.fileProblem ?? null,
    waiting: unknown,
    shrunk: stored.shrunk,
  };
}

function waitingText(names: readonly PackageName[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : '';
  const count = names.length === 1 ? '1 package has' : `${names.length} packages have`;
  return [`${count} no answer of this feed yet: ${names.slice(0, mostNamed).join(', ')}${more}.`];
}
