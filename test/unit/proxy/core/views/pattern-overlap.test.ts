// Tests the overlap of two patterns: never "no" where one name matches both, and exact where one of them is a name.

import { fc } from '../../../../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../../../../build/shared/patterns/package-pattern.ts';
import { mayOverlap } from '../../../../../proxy/core/views/pattern-overlap.ts';

const textOf = (...characters: readonly string[]) =>
  fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 5 }).map((all) => all.join(''));
const name = fc.tuple(textOf('a', 'b'), textOf('a', 'b')).map((parts) => parts.join('/'));
const pattern = fc.oneof(
  fc.constant('*'),
  fc.tuple(textOf('a', 'b', '*'), textOf('a', 'b', '*')).map((parts) => parts.join('/')),
);

describe('mayOverlap', () => {
  it('mayOverlap agrees with the match where one pattern is a name', () => {
    fc.assert(
      fc.property(
        pattern,
        name,
        (one, other) =>
          mayOverlap(one, other) === matchesPattern(one, other) &&
          mayOverlap(other, one) === matchesPattern(one, other),
      ),
      { numRuns: Number(process.env['SERIES_RUNS'] ?? 500) },
    );
  });

  it('mayOverlap is true where a name matches both patterns', () => {
    fc.assert(
      fc.property(
        pattern,
        pattern,
        name,
        (one, other, both) => !(matchesPattern(one, both) && matchesPattern(other, both)) || mayOverlap(one, other),
      ),
      { numRuns: Number(process.env['SERIES_RUNS'] ?? 500) },
    );
  });

  it.each([
    ['acme/*', 'tools/*'],
    ['acme/core-*', 'acme/shop-*'],
    ['*/core', '*/shop'],
    ['acme/*', 'acm*/x*'],
    ['acme/a*', '*'],
  ] as const)('mayOverlap decides %s and %s', (one, other) => {
    expect(mayOverlap(one, other)).toBe(other === 'acm*/x*' || other === '*');
  });
});
