// Asks the feeds at once about a package that they were not asked about, because a request is waiting. The request
// waits for two seconds at most. A question that failed is asked again soon, without a request.

import type { PackageName } from '../../build/contract/name.ts';
import { createSemaphore } from '../../build/shared/concurrency/semaphore.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { timedSignal } from '../../build/shared/concurrency/timed-signal.ts';
import { withDeadline } from '../../build/shared/concurrency/with-deadline.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import { createLookupRetries } from './lookup-retries.ts';
import type { CurrentFeed } from './current-feeds.ts';
import type { ReportFeedEvent } from './feed-event.ts';
import { OpenQuestions } from './model/open-questions.ts';

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
