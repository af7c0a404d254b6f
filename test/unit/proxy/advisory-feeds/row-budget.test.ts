// Tests the limit of what the answers of one run may take.

import { expect, it } from 'vitest';
import { createRowBudget } from '../../../../proxy/advisory-feeds/row-budget.ts';

it('ends a run whose rows are too heavy together, many or long', () => {
  const title = 'x'.repeat(64 * 1024 ** 2);
  const spend = createRowBudget('https://osv.example');
  spend({ title, aliases: [] });
  expect(() => spend({ title })).toThrow(
    'https://osv.example answered with more than 134217728 characters in one run.',
  );
  const small = createRowBudget('https://osv.example');
  expect(() => {
    for (let at = 0; at < 700_000; at += 1) small({});
  }).toThrow('in one run');
});
