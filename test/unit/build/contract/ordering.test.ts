// Tests the order of versions: PHP's version_compare by the vectors, and a total order based on it.

import { describe, expect, it } from 'vitest';
import { compareNormalized } from '../../../../build/contract/ordering.ts';
import { phpVersionCompare } from '../../../../build/contract/php-version-compare.ts';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';
import vectors from '../../../vectors/order-and-constraints.json' with { type: 'json' };

const compare = vectors.compare as [NormalizedVersion, NormalizedVersion, number, number][];

describe('phpVersionCompare', () => {
  it('phpVersionCompare agrees with PHP on every pair of vectors', () => {
    expect(compare.map(([a, b]) => [a, b, phpVersionCompare(a, b)])).toEqual(
      compare.map(([a, b, , order]) => [a, b, order]),
    );
    expect(compare.map(([a, b]) => 0 - phpVersionCompare(b, a))).toEqual(compare.map(([, , , order]) => order));
  });

  it('phpVersionCompare has the oddities of PHP', () => {
    expect(phpVersionCompare('1.0', '1.0.0')).toBe(-1);
    expect(phpVersionCompare('1.0-p1', '1.0')).toBe(1);
    expect(phpVersionCompare('1.0-unknown', '1.0-dev')).toBe(-1);
    expect(phpVersionCompare('01.0', '1.0')).toBe(0);
    expect(phpVersionCompare('', '1')).toBe(-1);
  });
});

describe('compareNormalized', () => {
  const ascending = vectors.ascending_normalized_excluding_dev_branches as NormalizedVersion[];

  it('compareNormalized sorts as Composer does', () => {
    const decided = compare.filter(([a, b, order]) => order !== 0 || a === b);
    expect(decided.map(([a, b]) => compareNormalized(a, b))).toEqual(decided.map(([, , order]) => order));
    expect([...ascending].reverse().sort(compareNormalized)).toEqual(ascending);
  });

  it('compareNormalized sorts branches by name below numbers, and ranks every pair', () => {
    const sorted = ['1.0.0.0', 'dev-main', '01.0.0.0', 'dev-a', '1.9999999.9999999.9999999-dev'] as NormalizedVersion[];
    expect(sorted.sort(compareNormalized)).toEqual([
      'dev-a',
      'dev-main',
      '01.0.0.0',
      '1.0.0.0',
      '1.9999999.9999999.9999999-dev',
    ]);
  });
});
