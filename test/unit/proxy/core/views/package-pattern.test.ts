// Tests patterns of package names: the names that they match, and similar names that they do not.

import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../../../../build/shared/patterns/package-pattern.ts';
import {
  parsePackagePattern,
  PatternMap,
  type PackagePattern,
} from '../../../../../proxy/core/views/package-pattern.ts';

const pattern = (text: string): PackagePattern => parsePackagePattern(text) ?? expect.unreachable(text);

describe('a package pattern', () => {
  it.each([
    ['acme/core', 'acme/core', true],
    ['acme/core', 'acme/core2', false],
    ['acme/core', 'acme/cor', false],
    ['acme/*', 'acme/core', true],
    ['acme/*', 'acme-evil/core', false],
    ['acme/*', 'acmecore/x', false],
    ['acme/core-*', 'acme/core-', true],
    ['acme/core-*', 'acme/core', false],
    ['*/core', 'acme/core', true],
    ['*/core', 'acme/hardcore', false],
    ['a*e/c*e', 'acme/core', true],
    ['acme/a.b', 'acme/axb', false],
    ['*', 'any/thing', true],
    ['acme/*core*', 'acme/hardcore-x', true],
    ['acme/**', 'acme/x', true],
  ])('the pattern %s for %s gives %s', (text, name, expected) => {
    expect(matchesPattern(pattern(text), name)).toBe(expected);
    expect(new PatternMap([[pattern(text), true]]).matching(name).length > 0).toBe(expected);
  });

  it('a hostile pattern is matched in bounded time', () => {
    expect(matchesPattern(`${'*a'.repeat(50)}b/x`, `${'a'.repeat(100)}/x`)).toBe(false);
  });

  it('a name finds all patterns that match it', () => {
    const map = new PatternMap(
      [
        ['*', 1],
        ['acme/*', 2],
        ['acme/core', 3],
        ['*/core', 4],
        ['other/*', 5],
      ].map(([text, value]) => [pattern(text as string), value] as const),
    );
    expect(map.matching('acme/core').toSorted()).toEqual([1, 2, 3, 4]);
    expect(map.matching('zoo/x')).toEqual([1]);
  });
});
