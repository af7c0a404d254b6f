// Asks the feeds at once about a package that they were not asked about, because a request is waiting. The request
// waits for two seconds at most. A feed that fails is left alone for a while, so that the next requests do not wait.

import type { PackageName } from '../../build/contract/name.ts';
import { createSemaphore } from '../../build/shared/concurrency/semaphore.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { timedSignal } from '../../build/shared/concurrency/timed-signal.ts';
import { withDeadline } from '../../build/shared/concurrency/with-deadline.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { CurrentFeed } from './current-feeds.ts';
import type { TellFeedEvent } from './feed-event.ts';

export interface LearningOptions {
  readonly feeds: () => Promise<readonly CurrentFeed[]>;
  readonly signal: AbortSignal;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly tell: TellFeedEvent;
}

/** How long a request waits. */
const patienceMs = 2000;
/** How long a feed may take: later requests know the answer. */
const answerMs = 5000;
/** How long a feed is left alone after a failure. */
const pauseMs = 30_000;
const atOnce = 8;
const waiting = 200;

/** The returned function never rejects. */
export function createLearning({ feeds, signal, now, tell }: LearningOptions): (name: PackageName) => Promise<void> {
  const flights = new SingleFlight<void>();
  const pausedUntil = new Map<string, number>();
  const turn = createSemaphore({ inside: atOnce, waiting });
  const learnFrom = async ({ source, stored }: CurrentFeed, name: PackageName): Promise<void> => {
    if (stored.knows(name) || now() < (pausedUntil.get(source.id) ?? 0)) return;
    const limited = timedSignal(answerMs, signal);
    try {
      if ((await source.mine([name])).length === 0) stored.leaveOut(name);
      else stored.learn(name, await source.askAbout(name, limited.signal));
    } catch (error) {
      if (signal.aborted) return;
      // whatever it is: the request that waits must be answered
      pausedUntil.set(source.id, now() + pauseMs);
      const message = `Nothing was learned about ${name}: ${messageOf(error)}`;
      tell({ kind: 'feed-failed', feed: source.id, message, ...stored.lacksCopy() });
    } finally {
      limited.clear();
    }
  };
  const learn = async (name: PackageName): Promise<void> => {
    if (signal.aborted) return;
    const current = await feeds().catch(() => []); // a run says what is wrong
    await Promise.all(current.map((feed) => learnFrom(feed, name)));
  };
  return (name) =>
    withDeadline(
      flights.run(name, () => turn(() => learn(name)) ?? Promise.resolve()),
      patienceMs,
      () => undefined,
    );
}
