// Whole numbers of 64 bits survive being read and written, as they do in PHP; all else is as JSON.parse has it.

import { describe, expect, it } from 'vitest';

import { readJson, writeJson } from '../../../../build/record/exact-integers.ts';

const through = (text: string): string => writeJson(readJson(text));

describe('whole numbers', () => {
  it.each([
    '{"a":9007199254740993}',
    '[-9007199254740993,9223372036854775807,-9223372036854775808]',
    '{"a":{"b":[1,9007199254740992,"9007199254740993"]},"c\\\\":9007199254740993,":9007199254740993":1}',
  ])('%s stays as it is', (text) => {
    expect(through(text)).toBe(text);
  });

  it.each([
    ['[9223372036854775808]', '[9223372036854776000]'],
    ['[9007199254740993.0, 9007199254740993e0]', '[9007199254740992,9007199254740992]'],
    ['{ "a" : 9007199254740993 }', '{"a":9007199254740993}'],
  ])('%s becomes %s', (text, expected) => expect(through(text)).toBe(expected));

  it('are numbers where a double can hold them', () =>
    expect(readJson('[9007199254740991, 9007199254740993]')).toEqual([9007199254740991, expect.any(String)]));

  it('may stand beside long texts', () => {
    const text = JSON.stringify({ long: 'a\\"'.repeat(500_000), hash: '0123456789012345678' });
    expect(through(text.replace('}', ',"n":9007199254740993}'))).toBe(text.replace('}', ',"n":9007199254740993}'));
  });
});
