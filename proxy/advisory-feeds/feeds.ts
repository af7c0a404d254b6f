// The feeds: lists of advisories and of malicious versions from OSV and from other registries. The leading process asks
// them on a timer and stores each last good copy. Every process reads the copies. A feed that is down, lies or shrinks
// never changes what is blocked.

import type { PackageName } from '../../build/contract/name.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import { configuredSources, type ConfiguredFeeds } from './configured-sources.ts';
import { createCurrentFeeds, type CurrentFeed, type CurrentFeeds } from './current-feeds.ts';
import { createFeedClient, type FeedClient, type FeedClientOptions } from './feed-client.ts';
import type { ReportFeedEvent } from './feed-event.ts';
import { createFeedLists, type FeedLists, type FeedStatus } from './feed-lists.ts';
import { createFeedLookups, type FeedLookups, type WaitingPackages } from './feed-lookups.ts';
import { FeedRuns } from './runs.ts';
import type { ScheduleOptions } from './schedule.ts';
import { createTimer } from './timer.ts';
import type { NamedFeed } from './named-feed.ts';
import type { RunStatus } from './run-status-file.ts';
import type { StoredFeed } from './stored-feed.ts';

export interface FeedOptions extends FeedClientOptions, ConfiguredFeeds {
  /** `<data>/feeds` */
  readonly folder: string;
  /** private and mirrored names: OSV is asked about those that it may learn, and upstreams about their own */
  readonly names: () => Promise<Iterable<PackageName>>;
  /** true: this process asks the feeds */
  readonly isLeader: () => MaybeAsync<boolean>;
  /** default: an hour */
  readonly everyMs?: number;
  /** epoch milliseconds */
  readonly now: () => number;
  /** a number from 0 up to 1 */
  readonly random?: () => number;
  readonly report: ReportFeedEvent;
}

export type Feeds = ReturnType<typeof createFeeds>;

const hourMs = 3_600_000;
/** How often the process looks whether a feed is due. */
const tickMs = 15_000;
/** How often it looks at files that another process may have replaced. */
const lookMs = 2000;

/** Throws for an invalid entry in `allowAddresses`. Reads the copies on disk, so that they count from the start. */
export function createFeeds(options: FeedOptions) {
  const closing = new AbortController();
  const { client, current, runs, lists, schedule } = openParts(options, closing.signal);
  const { now, report } = options;
  const look = createLook(current, runs, now);
  const { update, runAll, storeAll, noteWaiting } = createAsking(options, current, runs, closing.signal);
  const runDue = (): Promise<void> => orReported(report, () => runAll((feed) => runs.isDue(feed)).then(storeAll));
  const timer = createTimer(runDue, () => Math.min(tickMs, schedule.everyMs) * (0.9 + 0.2 * schedule.random()));
  const learning = createFeedLookups({ feeds: update, signal: closing.signal, now, report, noteWaiting });
  void update(); // often settled at once: then every feed is known from the start
  return {
    lists: (): FeedLists => {
      look();
      return lists();
    },
    statuses: (): readonly FeedStatus[] => {
      look();
      return current.known().map((feed) => statusHere(feed, runs, learning));
    },
    /**
     * Asks those feeds at once that were not asked about a name. Resolves after two seconds at most, and never rejects.
     */
    learn: learning.lookUp,
    /** Asks all feeds now, if this process leads. Never rejects. */
    refresh: () => orReported(report, () => runAll(() => true)),
    /** Uses the list of a feed that shrank. false: there is none. */
    accept: async (id: string): Promise<boolean> => {
      const feed = (await update()).find(({ source }) => source.id === id);
      if (feed === undefined || !(await feed.stored.accept())) return false;
      await runs.accepted(id);
      return true;
    },
    start: (): void => {
      learning.resume(runs.waiting());
      timer.start();
    },
    close: async (): Promise<void> => {
      timer.stop();
      closing.abort(new Error('The server is closing.'));
      client.close();
      await Promise.all([runs.settled(), timer.settled(), learning.close()]);
      await orReported(report, storeAll);
    },
  };
}

interface Parts {
  readonly client: FeedClient;
  readonly current: CurrentFeeds;
  readonly runs: FeedRuns;
  /** the same object while nothing changes */
  readonly lists: () => FeedLists;
  readonly schedule: ScheduleOptions;
}

function openParts(options: FeedOptions, signal: AbortSignal): Parts {
  const { folder, names, now, report, everyMs = hourMs, random = Math.random } = options;
  const client = createFeedClient(options);
  const schedule = { everyMs, random };
  let generation = 1;
  let lists: FeedLists | undefined;
  const changed = (): void => {
    generation += 1;
    lists = undefined;
  };
  const current = createCurrentFeeds({ folder, sources: configuredSources(options, client), report, changed });
  return {
    client,
    current,
    runs: new FeedRuns({ folder, names, signal, now, report, ...schedule }),
    lists: () => (lists ??= createFeedLists(current.stored, generation)),
    schedule,
  };
}

interface Asking {
  readonly update: () => Promise<readonly CurrentFeed[]>;
  /** nothing in a process that does not lead */
  readonly runAll: (isWanted: (feed: CurrentFeed) => boolean) => Promise<void>;
  readonly storeAll: () => Promise<void>;
  /** Never rejects. */
  readonly noteWaiting: (waiting: WaitingPackages) => Promise<void>;
}

function createAsking(
  { isLeader, report }: FeedOptions,
  current: CurrentFeeds,
  runs: FeedRuns,
  signal: AbortSignal,
): Asking {
  const update = createUpdate(current, report);
  return {
    update,
    runAll: async (isWanted) => {
      const feeds = await update();
      if (signal.aborted || !(await isLeader())) return;
      await Promise.all(feeds.filter(isWanted).map((feed) => runs.run(feed)));
    },
    noteWaiting: (waiting) =>
      orReported(report, async () => {
        if (await isLeader()) await runs.noteWaiting(waiting);
      }),
    storeAll: async () => {
      if (await isLeader()) await Promise.all(current.known().map((feed) => runs.storeLearned(feed)));
    },
  };
}

function statusHere({ source, stored }: CurrentFeed, runs: FeedRuns, learning: FeedLookups): FeedStatus {
  return statusOf(source, stored, runs.statusOf(source.id), learning.waiting().get(source.id));
}

/** Loads files that another process has replaced, every two seconds at most. */
function createLook(current: CurrentFeeds, runs: FeedRuns, now: () => number): () => void {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (Math.abs(now() - lookedAtMs) < lookMs) return;
    lookedAtMs = now();
    runs.look();
    for (const feed of current.stored()) feed.look();
  };
}

/** The returned function never rejects: if the upstreams are unknown, the last known feeds stay. */
function createUpdate(current: CurrentFeeds, report: ReportFeedEvent): () => Promise<readonly CurrentFeed[]> {
  return async () => {
    try {
      return await current.update();
    } catch (error) {
      report({ kind: 'feed-failed', feed: 'upstreams', message: `The feeds are unknown: ${messageOf(error)}` });
      return current.known();
    }
  };
}

async function orReported(report: ReportFeedEvent, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    report({ kind: 'feed-failed', feed: 'all', message: `The feeds are not asked: ${messageOf(error)}` });
  }
}

// How a feed stands, from its copy, from how its last run ended, and from the packages that wait for its first answer.

const mostNamed = 5;

/** `waiting`: the packages of this process; those of the leading one are in `run`. */
function statusOf(
  { id, kind, url }: NamedFeed,
  stored: StoredFeed,
  run: RunStatus,
  waiting: readonly PackageName[] = [],
): FeedStatus {
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
