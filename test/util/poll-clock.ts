// A clock for a state in Redis, for tests that wait until the state has asked Redis for its generation.

import { eventually } from './eventually.ts';

export interface PollClock {
  readonly monotonicMs: () => number;
  /** milliseconds the clock is ahead of the real one */
  aheadMs: number;
  /**
   * Resolves after a poll that began later than this call was answered: the state reads the clock with every answer.
   */
  readonly polled: () => Promise<void>;
}

export function createPollClock(): PollClock {
  let reads = 0;
  const clock: PollClock = {
    aheadMs: 0,
    monotonicMs: () => {
      reads += 1;
      return performance.now() + clock.aheadMs;
    },
    polled: async () => {
      const before = reads;
      // the first of these answers may belong to an earlier poll
      await eventually(() => reads >= before + 2);
    },
  };
  return clock;
}
