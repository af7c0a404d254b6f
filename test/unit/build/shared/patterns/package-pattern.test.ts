// Tests the wildcard of package patterns against Composer's `packageNameToRegexp`.

import { fc } from '../../../../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { matchAnyName, matchName, matchesPattern } from '../../../../../build/shared/patterns/package-pattern.ts';

/** Composer's regular expression for a pattern. */
const expressionOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*')}$`, 'i');

describe('a package pattern', () => {
  it("a package pattern matches the same names as Composer's regular expression", () => {
    const pattern = fc
      .array(fc.constantFrom('a', 'b', '/', '-', '.', '*', 'A'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    const name = fc
      .array(fc.constantFrom('a', 'b', '/', '-', '.', 'B'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, name, (given, tried) => {
        const expected = expressionOf(given).test(tried);
        expect(matchName(given)(tried)).toBe(expected);
        expect(matchAnyName(['x/y', given])(tried)).toBe(expected);
        expect(matchesPattern(given.toLowerCase(), tried.toLowerCase())).toBe(expected);
      }),
      { numRuns: Number(process.env['SERIES_RUNS'] ?? 300) },
    );
  });

  it('a package pattern with many stars matches at once', () => {
    expect(matchesPattern(`${'*a'.repeat(120)}b`, `x/${'a'.repeat(198)}`)).toBe(false);
    expect(matchAnyName([`${'*a'.repeat(100)}b`])('a'.repeat(201))).toBe(false);
    expect(matchesPattern('*'.repeat(250), 'acme/hello')).toBe(true);
  });

  it('the star is the only special character', () => {
    expect(['acme/h.llo', 'acme/(hello)', ''].map((pattern) => matchesPattern(pattern, 'acme/hello'))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
