// What a scan keeps for the archives that follow it.

import { describe, expect, it } from 'vitest';

import { createKeptContents } from '../../../../build/sources/directory/kept-contents.ts';

describe('kept contents', () => {
  it('are given once', () => {
    const kept = createKeptContents();
    kept.keep('one', Buffer.from('1'));
    expect(kept.take('one')?.toString()).toBe('1');
    expect(kept.take('one')).toBeUndefined();
  });

  it('end at a bound, which counts equal contents once and frees what was given', () => {
    const kept = createKeptContents(10);
    kept.keep('one', Buffer.alloc(6));
    kept.keep('one', Buffer.alloc(6));
    expect([kept.hasRoom(4), kept.hasRoom(5)]).toEqual([true, false]);
    kept.take('one');
    expect(kept.hasRoom(10)).toBe(true);
  });

  it('are gone when the source is closed', () => {
    const kept = createKeptContents(10);
    kept.keep('one', Buffer.alloc(6));
    kept.clear();
    expect([kept.take('one'), kept.hasRoom(10)]).toEqual([undefined, true]);
  });
});
