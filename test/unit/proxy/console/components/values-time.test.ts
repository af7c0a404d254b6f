// Tests how pages name a moment.

import { expect, it } from 'vitest';
import { relativeTime } from '../../../../../proxy/console/components/values.tsx';

const day = 86_400_000;

it.each([
  [90 * day - 3000, 'in 90 days'],
  [89.5 * day, 'in 89 days'],
  [13 * day, 'in 13 days'],
  [day + 3_600_000, 'tomorrow'],
  [5 * 3_600_000, 'in 5 hours'],
  [200 * day, 'in 6 months'],
  [-3 * day, '3 days ago'],
  [-20 * day, '2 weeks ago'],
  [20_000, 'just now'],
])('%d ms away is %s', (ms, text) => expect(relativeTime(ms, 0)).toBe(text));
