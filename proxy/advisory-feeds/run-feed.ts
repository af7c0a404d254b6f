// One run of a feed: asks about every package, and puts the answer in the place of the copy in use, unless it is an
// alarm. Packages without an answer keep their rows.

import type { PackageName } from '../../build/contract/name.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { ReportFeedEvent } from './feed-event.ts';
import type { FeedAnswer, FeedSource } from './feed-source.ts';
import { noRows, type FeedRows } from './model/feed-rows.ts';
import { buildTable, type FeedTable } from './model/feed-table.ts';
import { createComparison, type ListComparison } from './model/shrinkage.ts';
import type { StoredFeed } from './stored-feed.ts';

export interface FeedRun {
  readonly source: FeedSource;
  readonly stored: StoredFeed;
  /** the packages of this registry */
  readonly names: () => Promise<Iterable<PackageName>>;
  readonly signal: AbortSignal;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly report: ReportFeedEvent;
}

export interface RunOutcome {
  /** why the answer is not complete; undefined: it is */
  readonly failure: string | undefined;
  readonly problem: string | null;
  /** true: the next run should come soon */
  readonly unfinished: boolean;
}

/** The largest list, with some 500 000 rows. */
const mostBytes = 128 * 1024 ** 2;

type Shrunk = NonNullable<ReturnType<ListComparison['shrinkage']>>;

/** Never rejects, but with the reason of an ended signal. */
export async function runFeed(run: FeedRun): Promise<RunOutcome> {
  try {
    return await ask(run);
  } catch (error) {
    run.signal.throwIfAborted();
    // whatever it is, the copy in use stays: a feed must not end the process
    return { failure: messageOf(error), problem: messageOf(error), unfinished: false };
  }
}

async function ask({ source, stored, names, signal, now, report }: FeedRun): Promise<RunOutcome> {
  const wanted = new Set([...(await names()), ...stored.learnedNames()]);
  const mine = new Set(await source.mine(new Set([...wanted, ...stored.table.names()])));
  const asked = [...wanted].filter((name) => mine.has(name)).toSorted();
  const answer = await source.ask(asked, stored.rowsOf, signal);
  signal.throwIfAborted();
  stored.look(); // another process may have accepted a list meanwhile
  if (answer.failure !== undefined && answer.rows.size === 0)
    return { failure: answer.failure, problem: answer.failure, unfinished: false };
  const moved = stored.url !== undefined && stored.url !== source.url;
  const { table, shrinkage } = await nextTable(stored, mine, wanted, moved ? beside(answer, stored) : answer);
  const isPart = answer.failure !== undefined || (moved && answer.unfinished);
  const fetchedAt = isPart ? stored.fetchedAt : new Date(now()).toISOString();
  const copy = { url: (isPart ? stored.url : undefined) ?? source.url, fetchedAt, table };
  if (shrinkage === undefined) {
    await stored.commit(copy);
    if (answer.failure === undefined) await stored.dropRefused();
    return { failure: answer.failure, problem: problemOf(answer, table), unfinished: answer.unfinished };
  }
  const { shrunk } = shrinkage;
  const message = alarm(source.id, shrinkage);
  if (stored.shrunk?.from !== shrunk.from || stored.shrunk.to !== shrunk.to)
    report({ kind: 'feed-shrunk', feed: source.id, message, ...shrunk });
  await stored.refuse(copy, shrunk);
  return { failure: answer.failure, problem: message, unfinished: false };
}

/**
 * Packages that were not asked about keep their rows, and those that do not belong to the feed any more lose them. Only
 * packages of both lists are compared.
 */
async function nextTable(
  stored: StoredFeed,
  mine: ReadonlySet<PackageName>,
  wanted: ReadonlySet<PackageName>,
  { rows: said }: FeedAnswer,
): Promise<{ readonly table: FeedTable; readonly shrinkage: Shrunk | undefined }> {
  const comparison = createComparison();
  const names = [...mine].filter(
    (name) => said.has(name) || (stored.has(name) && wanted.has(name)) || isFilled(stored.rowsOf(name)),
  );
  const rowsOf = (name: PackageName): FeedRows => {
    const before = stored.rowsOf(name);
    const after = said.get(name) ?? before ?? noRows;
    if (before !== undefined) comparison.add(before, after);
    return after;
  };
  const table = await buildTable(names, rowsOf, mostBytes);
  return { table, shrinkage: comparison.shrinkage() };
}

/** A run at another address replaces the rows of the former address only if it is complete. */
function beside(answer: FeedAnswer, { rowsOf }: StoredFeed): FeedAnswer {
  if (answer.failure === undefined && !answer.unfinished) return answer;
  const rows = new Map(
    [...answer.rows].map(([name, { advisories, entries }]): [PackageName, FeedRows] => {
      const before = rowsOf(name) ?? noRows;
      const [ids, said] = [advisories.map(({ id }) => id), entries.map((entry) => JSON.stringify(entry))];
      return [
        name,
        {
          advisories: [...advisories, ...before.advisories.filter(({ id }) => !ids.includes(id))],
          entries: [...entries, ...before.entries.filter((entry) => !said.includes(JSON.stringify(entry)))],
        },
      ];
    }),
  );
  return { ...answer, rows };
}

function isFilled(rows: FeedRows | undefined): boolean {
  return rows !== undefined && rows.advisories.length + rows.entries.length > 0;
}

function alarm(feed: string, { of, shrunk: { from, to } }: Shrunk): string {
  return (
    `The newest list of ${feed} has ${to} rows about packages that have ${from} rows in the list in use (${of}). ` +
    'The list in use stays. Find out whether the feed is right, and accept its list if it is.'
  );
}

function problemOf({ failure, remarks }: FeedAnswer, { unconvertible }: FeedTable): string | null {
  const sentences = [
    ...(failure === undefined ? [] : [failure]),
    ...(unconvertible === 0
      ? []
      : [`Rows that block nothing, because their versions cannot be written as a constraint: ${unconvertible}.`]),
    ...remarks,
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Stores what was learned since the last run. */
export async function storeLearned(stored: StoredFeed, url: string): Promise<void> {
  if (stored.learnedNames().length === 0) return;
  const names = [...stored.table.names(), ...stored.learnedNames()];
  const table = await buildTable(names, (name) => stored.rowsOf(name) ?? noRows, mostBytes);
  await stored.commit({ url: stored.url ?? url, fetchedAt: stored.fetchedAt, table });
}
