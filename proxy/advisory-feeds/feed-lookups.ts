// Asks the feeds at once about a package that they were not asked about, because a request is waiting. The request
// waits for two seconds at most. A question that failed is asked again soon, without a request.

import type { PackageName } from '../../build/contract/name.ts';
import { createSemaphore } from '../../build/shared/concurrency/semaphore.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { timedSignal } from '../../build/shared/concurrency/timed-signal.ts';
import { withDeadline } from '../../build/shared/concurrency/with-deadline.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { CurrentFeed } from './current-feeds.ts';
import type { ReportFeedEvent } from './feed-event.ts';
import { OpenQuestions } from './model/open-questions.ts';
import pLimit from 'p-limit';

// Asks the feeds again about packages whose questions failed, when each question is due. Runs only while a question is
// open.

interface LookupRetriesOptions {
  /** by the identifier of the feed */
  readonly questions: Map<string, OpenQuestions>;
  readonly feeds: () => Promise<readonly CurrentFeed[]>;
  /** Asks all feeds that do not know the package. Never rejects. */
  readonly ask: (name: PackageName) => Promise<void>;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called before and after questions are asked. Never rejects. */
  readonly settled: () => Promise<void>;
}

const retriesAtOnce = 4;
/** Between two turns. */
const leastPauseMs = 100;

function createLookupRetries(options: LookupRetriesOptions) {
  const { questions, now, signal } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** true: the last turn has told of open questions */
  let wasOpen = false;
  const turn = async (): Promise<void> => {
    await askDue(options);
    wasOpen = isOpen();
  };
  const isOpen = (): boolean => [...questions.values()].some((open) => open.nextAtMs() !== undefined);
  const schedule = (): void => {
    if (running !== undefined || signal.aborted || !(isOpen() || wasOpen)) return;
    clearTimeout(timer);
    const times = [...questions.values()].flatMap((open) => open.nextAtMs() ?? []);
    const waitMs = Math.max(leastPauseMs, Math.min(...times, now() + longestPauseMs) - now());
    timer = setTimeout(begin, isOpen() ? waitMs : leastPauseMs).unref();
  };
  const begin = (): void => {
    running = turn().finally(() => {
      running = undefined;
      schedule();
    });
  };
  return {
    /** A question was opened or answered. */
    schedule,
    close: async (): Promise<void> => {
      clearTimeout(timer);
      await running;
      await options.settled();
    },
  };
}

/** A run may have answered a question meanwhile. */
const longestPauseMs = 15_000;

async function askDue({ questions, feeds, ask, now, settled }: LookupRetriesOptions): Promise<void> {
  const current = await feeds().catch((): readonly CurrentFeed[] => []); // a run says what is wrong
  const ids = new Set(current.map(({ source }) => source.id));
  for (const id of questions.keys()) if (!ids.has(id)) questions.delete(id);
  for (const { source, stored } of current) questions.get(source.id)?.drop(stored.knows);
  await settled();
  const due = new Set([...questions.values()].flatMap((open) => open.due(now())));
  const limit = pLimit(retriesAtOnce);
  await Promise.all([...due].map((name) => limit(() => ask(name))));
  await settled();
}

export interface FeedLookupsOptions {
  readonly feeds: () => Promise<readonly CurrentFeed[]>;
  readonly signal: AbortSignal;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly report: ReportFeedEvent;
  /** Called after the questions without an answer may have changed. Never rejects. */
  readonly noteWaiting: (waiting: WaitingPackages) => Promise<void>;
}

/** The packages that a feed has not answered about yet, by its identifier. */
export type WaitingPackages = ReadonlyMap<string, readonly PackageName[]>;

export type FeedLookups = ReturnType<typeof createFeedLookups>;

/** How long a request waits. */
const patienceMs = 2000;
const atOnce = 8;
const mostInLine = 200;

export function createFeedLookups({ feeds, signal, now, report, noteWaiting }: FeedLookupsOptions) {
  const flights = new SingleFlight<void>();
  const turn = createSemaphore({ inside: atOnce, waiting: mostInLine });
  const questions = new Map<string, OpenQuestions>();
  const forEach = async (use: (feed: CurrentFeed, open: OpenQuestions) => Promise<void> | void): Promise<void> => {
    if (signal.aborted) return;
    const current = await feeds().catch(() => []); // a run says what is wrong
    await Promise.all(current.map((feed) => use(feed, questionsTo(feed.source.id, questions))));
    again.schedule();
  };
  const ask = (name: PackageName): Promise<void> =>
    forEach((feed, open) => askFeed(feed, open, name, { signal, now, report }));
  const hold = (name: PackageName): Promise<void> =>
    forEach(({ stored }, open) => (stored.knows(name) ? undefined : open.hold(name, now())));
  const waiting = (): WaitingPackages => new Map([...questions].map(([id, open]) => [id, open.names()]));
  const again = createLookupRetries({
    questions,
    feeds,
    ask: (name) => flights.run(name, () => ask(name)),
    now,
    signal,
    settled: () => noteWaiting(waiting()),
  });
  return {
    /** Never rejects. */
    lookUp: (name: PackageName) =>
      withDeadline(
        flights.run(name, () => turn(() => ask(name)) ?? hold(name)),
        patienceMs,
        () => undefined,
      ),
    /** Asks about packages that an earlier process left without an answer. */
    resume: (left: WaitingPackages): void => {
      for (const [id, names] of left) for (const name of names) questionsTo(id, questions).hold(name, now());
      again.schedule();
    },
    waiting,
    /** Resolves when no question is asked again. */
    close: again.close,
  };
}

function questionsTo(id: string, questions: Map<string, OpenQuestions>): OpenQuestions {
  const open = questions.get(id) ?? new OpenQuestions();
  questions.set(id, open);
  return open;
}

/** How long a feed may take: later requests know the answer. */
const answerMs = 5000;

async function askFeed(
  { source, stored }: CurrentFeed,
  open: OpenQuestions,
  name: PackageName,
  { signal, now, report }: Pick<FeedLookupsOptions, 'signal' | 'now' | 'report'>,
): Promise<void> {
  if (stored.knows(name)) return open.dismiss(name);
  const askedAtMs = now();
  const mayAsk = open.mayAsk(name, askedAtMs);
  if (!mayAsk && open.has(name)) return;
  const limited = timedSignal(answerMs, signal);
  try {
    if ((await source.mine([name])).length === 0) {
      stored.leaveOut(name);
      open.dismiss(name);
    } else if (!mayAsk) open.hold(name, askedAtMs);
    else {
      stored.learn(name, await source.askAbout(name, limited.signal));
      open.answered(name);
    }
  } catch (error) {
    if (signal.aborted) return;
    // whatever it is: the request that waits must be answered
    const failures = open.failed(name, askedAtMs, now());
    const message = `Nothing was learned about ${name}: ${messageOf(error)}`;
    if (failures === 1) report({ kind: 'feed-failed', feed: source.id, message, ...stored.lacksCopy() });
  } finally {
    limited.clear();
  }
}
