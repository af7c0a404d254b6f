// Guesses of an address, where several processes share them.

import { expect, it } from 'vitest';
import { createFailedAuthLimiter, failedAuthPerMinute } from '../../../../proxy/limits/failed-auth-limiter.ts';

it('each of several processes allows its part: together about as many as one would', () => {
  const admittedBy = (shares: number): number => {
    const budget = createFailedAuthLimiter(shares);
    return Array.from({ length: 200 }, () => budget.spend('192.0.2.1', 0)).filter((wait) => wait === undefined).length;
  };
  expect([1, 2, 3].map(admittedBy)).toEqual([failedAuthPerMinute, 50, 34]);
});
