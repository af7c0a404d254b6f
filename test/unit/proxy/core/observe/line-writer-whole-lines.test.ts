// Tests the chunks of a log: each ends at the end of a line, so that no other process writes into a line.

import { expect, it } from 'vitest';
import { wholeLines } from '../../../../../proxy/core/observe/line-writer.ts';

const pieces = (text: string, most: number): string[] => wholeLines(Buffer.from(text), most).map(String);

it('chunks end at line ends, and are no longer than the limit', () => {
  expect(pieces('aa\nbb\ncc\n', 100)).toEqual(['aa\nbb\ncc\n']);
  expect(pieces('aa\nbb\ncc\n', 6)).toEqual(['aa\nbb\n', 'cc\n']);
  expect(pieces('aa\nbb\ncc\n', 5)).toEqual(['aa\n', 'bb\n', 'cc\n']);
  expect(pieces('', 5)).toEqual([]);
});

it('a line that is longer than the limit stays one chunk', () => {
  expect(pieces('a\nlong line\nbb\n', 4)).toEqual(['a\n', 'long line\n', 'bb\n']);
  expect(pieces('long line\n', 4)).toEqual(['long line\n']);
  expect(pieces('no end of line', 4)).toEqual(['no end of line']);
});

it('chunks together contain every byte of the lines', () => {
  const text = Array.from({ length: 500 }, (_, at) => 'grüße'.repeat(at % 97)).join('\n');
  expect(Buffer.concat(wholeLines(Buffer.from(text))).toString()).toBe(text);
  for (const piece of wholeLines(Buffer.from(text))) expect(piece.length).toBeLessThanOrEqual(4096);
});
