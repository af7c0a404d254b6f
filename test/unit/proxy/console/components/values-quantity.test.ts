// Tests how pages show numbers.

import { describe, expect, it } from 'vitest';
import { formatCount, formatBytes, formatNumber } from '../../../../../proxy/console/components/values.tsx';

describe('numbers', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [12_345, '12\u202F345'],
    [1_234_567, '1\u202F234\u202F567'],
  ])('%d', (value, text) => expect(formatNumber(value)).toBe(text));

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9_949, '9.9 kB'],
    [9_950, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [23_400_000, '23 MB'],
    [5e12, '5.0 TB'],
  ])('%d bytes', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it('come with a word', () => {
    expect([formatCount(1, 'version'), formatCount(2, 'version')]).toEqual(['1 version', '2 versions']);
    expect(formatCount(0, 'repository', 'repositories')).toBe('0 repositories');
  });
});
