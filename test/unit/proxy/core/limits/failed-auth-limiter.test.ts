// Tests the limit on failed authentications of an address that several processes share.

import { expect, it } from 'vitest';
import { createFailedAuthLimiter, failedAuthPerMinute } from '../../../../../proxy/core/limits/failed-auth-limiter.ts';

it('each of several processes allows its part, so that together they allow about as many as one process', () => {
  const admittedBy = (shares: number): number => {
    const budget = createFailedAuthLimiter(shares);
    return Array.from({ length: 200 }, () => budget.spend('192.0.2.1', 0)).filter((wait) => wait === undefined).length;
  };
  expect([1, 2, 3].map(admittedBy)).toEqual([failedAuthPerMinute, 50, 34]);
});
