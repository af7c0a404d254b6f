// Guessing at tokens: each address may send so many a minute that open nothing, and hears 429 after that. Valid ones
// pass, whatever else comes from where they come from, so that nobody can shut out those behind the same address.

import { networkOf } from '../http/client-address.ts';
import { retryAfterSeconds } from './headers.ts';
import { createMemoryCounters } from './memory-counters.ts';

export interface FailedAuthLimiter {
  /** Takes one guess off; undefined: there was one left, else the seconds after which there are some again. */
  readonly spend: (address: string, nowMs: number) => number | undefined;
}

export const failedAuthPerMinute = 100;
const minuteMs = 60_000;

/** `shares`: over how many processes the guesses of an address are spread; each allows its part of them. */
export function createFailedAuthLimiter(shares = 1): FailedAuthLimiter {
  const counters = createMemoryCounters();
  return {
    spend: (address, nowMs) => {
      const count = counters.hit(networkOf(address), Math.ceil(failedAuthPerMinute / shares), minuteMs, nowMs);
      return count.admitted ? undefined : retryAfterSeconds(count, nowMs);
    },
  };
}
