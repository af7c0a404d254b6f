// Tests that 64-bit integers keep their digits through reading and writing, as in PHP. Other JSON parses as in
// JSON.parse.

import { describe, expect, it } from 'vitest';

import { readJson, writeJson } from '../../../../build/record/exact-integers.ts';

const through = (text: string): string => writeJson(readJson(text));

describe('whole numbers', () => {
  it.each([
    '{"a":9007199254740993}',
    '[-9007199254740993,9223372036854775807,-9223372036854775808]',
    '{"a":{"b":[1,9007199254740992,"9007199254740993"]},"c\\\\":9007199254740993,":9007199254740993":1}',
  ])('the integer %s stays as it is', (text) => {
    expect(through(text)).toBe(text);
  });

  it.each([
    ['[9223372036854775808]', '[9223372036854776000]'],
    ['[9007199254740993.0, 9007199254740993e0]', '[9007199254740992,9007199254740992]'],
    ['{ "a" : 9007199254740993 }', '{"a":9007199254740993}'],
  ])('the text %s becomes %s', (text, expected) => expect(through(text)).toBe(expected));

  it('an integer within the precision of a double is a number', () =>
    expect(readJson('[9007199254740991, 9007199254740993]')).toEqual([9007199254740991, expect.any(String)]));

  it('large integers are read next to long texts', () => {
    const text = JSON.stringify({ long: 'a\\"'.repeat(500_000), hash: '0123456789012345678' });
    expect(through(text.replace('}', ',"n":9007199254740993}'))).toBe(text.replace('}', ',"n":9007199254740993}'));
  });
});
