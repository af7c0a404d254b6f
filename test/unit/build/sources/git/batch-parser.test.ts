// Tests the parser of `git cat-file --batch` on output that is cut at any place.

import { describe, expect, it } from 'vitest';

import { BatchParser } from '../../../../../build/sources/git/batch-parser.ts';

const oid = 'ab'.repeat(20);
const stream = Buffer.concat([
  Buffer.from(`${oid} blob 5\nhello\n`),
  Buffer.from(`${oid} missing\n`),
  Buffer.from(`${oid} tree 0\n\n`),
  Buffer.from(`${oid} blob 6\nskip\nx\n`),
  Buffer.from(`${oid} blob 3\n\n\n\n\n`),
]);
const expected = ['blob hello', 'absent missing', 'tree ', 'blob declined', 'blob \n\n\n'];

function parse(chunks: readonly Buffer[]): string[] {
  const seen: string[] = [];
  const parser = new BatchParser({
    wanted: ({ size }) => size !== 6,
    object: ({ type }, bytes) => seen.push(`${type} ${bytes === undefined ? 'declined' : bytes.toString()}`),
    absent: (reason) => seen.push(`absent ${reason}`),
  });
  for (const chunk of chunks) parser.push(chunk);
  return seen;
}

describe('the parser of `git cat-file --batch`', () => {
  it('gives the same objects whatever the size of the chunks', () => {
    for (let size = 1; size <= stream.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
        stream.subarray(index * size, (index + 1) * size),
      );
      expect(parse(chunks)).toEqual(expected);
    }
  });
});
