// Tests the format of a token: it never changes, a mistyped token is refused, and no token is printed by accident.

import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { fc } from '../../../../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { randomBase62, toBase62 } from '../../../../../build/shared/text/base62.ts';
import { Secret } from '../../../../../build/shared/text/secret.ts';
import { hashToken, mintToken, parseToken } from '../../../../../proxy/core/tokens/token-format.ts';

const read = mintToken('read', randomBytes).secret.reveal();

describe('a minted token', () => {
  it('has the format that people and scanners recognize', () => {
    expect(read).toMatch(/^lib_r_[0-9A-Za-z]{38}$/);
    expect(mintToken('write', randomBytes).secret.reveal()).toMatch(/^lib_w_[0-9A-Za-z]{38}$/);
    expect(mintToken('read', randomBytes).secret.reveal()).not.toBe(read);
  });

  it('never changes its format, because issued tokens live for years', () => {
    const { secret, hash } = mintToken('read', (size) => new Uint8Array(size).fill(61));
    expect(secret.reveal()).toBe(`lib_r_${'z'.repeat(32)}3MWo4E`);
    expect(hash).toBe(hashToken(parseToken(secret.reveal()) ?? expect.fail()));
  });

  it('is parsed as minted', () => {
    expect(parseToken(read)).toBe(read);
  });
});

describe('a text is refused without a read of the state', () => {
  it.each([
    ['empty', ''],
    ['cut short', read.slice(0, -1)],
    ['too long', `${read}0`],
    ['with a blank', `${read} `],
    ['with a line end', `${read}\n`],
    ['of the other kind', read.replace('lib_r_', 'lib_w_')],
    ['of an unknown kind', read.replace('lib_r_', 'lib_x_')],
    ['in capitals', read.toUpperCase()],
    ["someone else's", 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB'],
  ])('%s', (_name, text) => {
    expect(parseToken(text)).toBeUndefined();
  });

  it('for any mistyped character', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    fc.assert(
      fc.property(fc.integer({ min: 6, max: read.length - 1 }), fc.constantFrom(...alphabet), (position, character) => {
        fc.pre(read[position] !== character);
        expect(parseToken(read.slice(0, position) + character + read.slice(position + 1))).toBeUndefined();
      }),
    );
  });

  it('for any two exchanged neighbouring characters', () => {
    for (let at = 6; at < read.length - 1; at += 1) {
      const exchanged = read.slice(0, at) + read[at + 1] + read[at] + read.slice(at + 2);
      if (exchanged !== read) expect(parseToken(exchanged)).toBeUndefined();
    }
  });
});

describe('a secret', () => {
  it('never prints its value', () => {
    const secret = new Secret(read);
    const shown = [
      `${secret}`,
      String(secret),
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ deep: { secret } }, { showHidden: true }),
      `${Object.values(secret)}`,
      `${new Error(`failed for ${secret}`)}`,
    ];
    expect(shown.join()).not.toContain(read.slice(6, 20));
    expect(shown[0]).toBe('[secret]');
    expect(secret.reveal()).toBe(read);
  });
});

describe('base 62', () => {
  it('uses every character equally often', () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62_000, (size) => randomBytes(size)))
      counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 1000 expected, six standard deviations are 188
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(188);
  });

  it('pads a short value', () => {
    expect([toBase62(0, 6), toBase62(61, 2), toBase62(62, 2), toBase62(2 ** 32 - 1, 6)]).toEqual([
      '000000',
      '0z',
      '10',
      '4gfFC3',
    ]);
  });
});
