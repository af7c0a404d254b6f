// Tests the byte-bounded cache: it keeps its limit, and entries in use stay.

import { describe, expect, it } from 'vitest';
import { ByteCache } from '../../../../../build/shared/caches/byte-cache.ts';

describe('a cache bounded by bytes', () => {
  it('a cache never holds more than its limit, whatever is put in', () => {
    const cache = new ByteCache<number>(1000);
    for (let at = 0; at < 500; at += 1) {
      cache.set(`k${at % 70}`, at, (at * 37) % 250);
      if (at % 3 === 0) cache.get(`k${at % 11}`);
      expect(cache.bytes).toBeLessThanOrEqual(1000);
    }
  });

  it('a cache evicts unused entries before used ones', () => {
    const cache = new ByteCache<string>(1000);
    cache.set('hot', 'hot', 100);
    for (let at = 0; at < 100; at += 1) {
      expect(cache.get('hot')).toBe('hot');
      cache.set(`cold${at}`, 'cold', 100);
    }
  });

  it('a cache counts a replaced value once, a grown value at its new size, and a deleted value not at all', () => {
    const cache = new ByteCache<object>(1000);
    const [first, second] = [{}, {}];
    cache.set('a', first, 200);
    cache.set('a', second, 100);
    cache.grow('a', first, 500); // an evicted value no longer counts
    cache.grow('a', second, 50);
    expect(cache.bytes).toBe(150);
    cache.delete('a');
    expect([cache.bytes, cache.get('a')]).toEqual([0, undefined]);
  });

  it('one large value does not evict all others', () => {
    const cache = new ByteCache<string>(1000);
    cache.set('small', 'small', 100);
    cache.set('large', 'large', 900);
    expect([cache.get('small'), cache.get('large')]).toEqual(['small', undefined]);
  });
});
