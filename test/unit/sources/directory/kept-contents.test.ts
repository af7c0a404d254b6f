// What a scan keeps for the archives that follow it.

import { describe, expect, it } from 'vitest';

import type { Deflated } from '../../../../build/archive/deflate.ts';
import { createKeptContents } from '../../../../build/sources/directory/kept-contents.ts';

const contentOf = (length: number): Deflated => ({ method: 0, crc32: 0, size: length, length, bytes: Buffer.alloc(length) });

describe('kept contents', () => {
  it('are given once', () => {
    const kept = createKeptContents();
    kept.keep('one', contentOf(1));
    expect(kept.take('one')?.size).toBe(1);
    expect(kept.take('one')).toBeUndefined();
  });

  it('end at a bound, which counts equal contents once and frees what was given', () => {
    const kept = createKeptContents(10);
    kept.keep('one', contentOf(6));
    kept.keep('one', contentOf(6));
    expect(kept.hasRoom()).toBe(true);
    kept.keep('two', contentOf(4));
    expect(kept.hasRoom()).toBe(false);
    kept.take('one');
    expect(kept.hasRoom()).toBe(true);
  });

  it('are gone when the source is closed', () => {
    const kept = createKeptContents(10);
    kept.keep('one', contentOf(10));
    kept.clear();
    expect([kept.take('one'), kept.hasRoom()]).toEqual([undefined, true]);
  });
});
