// Patterns with stars, as Composer's `packageNameToRegexp` understands them.

import { fc } from '../../../../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { matchName } from '../../../../../build/sources/name-pattern.ts';
import { matchesWildcard } from '../../../../../build/shared/patterns/name-wildcard.ts';

describe('a pattern', () => {
  it('stands for what the expression of Composer stands for', () => {
    const pattern = fc
      .array(fc.constantFrom('a', 'b', '/', '-', '*', 'A'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    const name = fc.array(fc.constantFrom('a', 'b', '/', '-'), { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, name, (given, tried) => {
        expect(matchesWildcard(given, tried)).toBe(matchName(given)(tried));
      }),
      { numRuns: 2000 },
    );
  });

  it('with many stars is answered at once', () => {
    expect(matchesWildcard(`${'*a'.repeat(120)}b`, `x/${'a'.repeat(198)}`)).toBe(false);
    expect(matchesWildcard('*'.repeat(250), 'acme/hello')).toBe(true);
  });

  it('has no other signs', () => {
    expect([
      matchesWildcard('acme/h.llo', 'acme/hello'),
      matchesWildcard('acme/(hello)', 'acme/hello'),
      matchesWildcard('', 'acme/hello'),
    ]).toEqual([false, false, false]);
  });
});
