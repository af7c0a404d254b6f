// Asks the feeds again about packages whose questions failed, when each question is due. Runs only while a question is
// open.

import pLimit from 'p-limit';
import type { PackageName } from '../../build/contract/name.ts';
import type { CurrentFeed } from './current-feeds.ts';
import type { OpenQuestions } from './model/open-questions.ts';

export interface LookupRetriesOptions {
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

export type LookupRetries = ReturnType<typeof createLookupRetries>;

const atOnce = 4;
/** Between two turns. */
const leastPauseMs = 100;

export function createLookupRetries(options: LookupRetriesOptions) {
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
  const limit = pLimit(atOnce);
  await Promise.all([...due].map((name) => limit(() => ask(name))));
  await settled();
}
