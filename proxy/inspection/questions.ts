// Commands of the program that change nothing, in a process of their own: equal ones run once for all callers, and one
// at a time. Each ends after a time limit, and with the server.

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { createSemaphore } from '../../build/shared/concurrency/semaphore.ts';
import { timedSignal } from '../../build/shared/concurrency/timed-signal.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { assertAccepted, makeReport, type BuildRunner } from '../sync/build-runner.ts';

export type Questions = ReturnType<typeof createQuestions>;

const mostWaiting = 5;
const defaultLongestMs = 120_000;

export function createQuestions({
  runner,
  longestMs = defaultLongestMs,
}: {
  readonly runner: BuildRunner;
  readonly longestMs?: number;
}) {
  const oneAtATime = createSemaphore({ inside: 1, waiting: mostWaiting });
  const running = new SingleFlight<JsonObject>({ keeps: 'running' });
  const closing = new AbortController();
  const run = async (args: readonly string[]): Promise<JsonObject> => {
    const { signal, clear } = timedSignal(longestMs, closing.signal);
    const ended = await runner.run(args, signal).finally(clear);
    if (signal.aborted && !closing.signal.aborted && ended.report === undefined)
      throw new RegistryError('BUILD_FAILED', {
        message: `\`libretto ${args[0] ?? ''}\` did not end within ${longestMs / 1000} seconds.`,
      });
    const report = makeReport(ended);
    assertAccepted(report);
    return report;
  };
  return {
    /**
     * The document that the command prints. Throws RegistryError: the command's refusal, BUILD_BUSY, BUILD_FAILED after
     * the time limit, or OVERLOADED.
     */
    ask: (args: readonly string[]) =>
      running.run(args.join('\n'), async () => {
        const done = oneAtATime(() => run(args));
        if (done === undefined) throw new RegistryError('OVERLOADED', { details: { retry_after_seconds: 10 } });
        return done;
      }),
    /** Ends the running commands. */
    close: async (): Promise<void> => {
      closing.abort();
      await Promise.allSettled(running.values());
    },
  };
}
