// Limits guesses of tokens: each address may send a number of invalid tokens a minute, and gets 429 after that. Valid
// tokens always pass, so that an attacker cannot lock out the other users of an address.

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
