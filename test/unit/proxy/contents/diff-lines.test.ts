// Tests the comparison of two texts line by line.

import { describe, expect, it } from 'vitest';
import { diffLines, shortenEqual, type DiffLine } from '../../../../proxy/contents/diff-lines.ts';
import { fc } from '../../../util/seeded-check.ts';

const marks = { same: ' ', added: '+', removed: '-' } as const;
const shown = (lines: readonly DiffLine[]): readonly string[] => lines.map(({ kind, text }) => `${marks[kind]}${text}`);
const lines = (text: string): readonly string[] => [...text];

describe('the differences of two texts', () => {
  it.each([
    ['abc', 'abc', [' a', ' b', ' c']],
    ['abc', 'adc', [' a', '-b', '+d', ' c']],
    ['', 'ab', ['+a', '+b']],
    ['ab', '', ['-a', '-b']],
    ['abcd', 'acd', [' a', '-b', ' c', ' d']],
    ['aa', 'aaa', [' a', ' a', '+a']],
  ])('of %j and %j are the fewest lines', (before, after, wanted) => {
    expect(shown(diffLines(lines(before), lines(after)))).toEqual(wanted);
  });

  it('have every line of both texts in its order', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffLines(before, after);
        const without = (kind: DiffLine['kind']) => diff.filter((line) => line.kind !== kind).map((line) => line.text);
        expect([without('added'), without('removed')]).toEqual([before, after]);
      }),
      { numRuns: 300 },
    );
  });

  it('of very long texts are one exchange', () => {
    const many = (letter: string) => Array.from({ length: 3000 }, (_, at) => `${letter}${at}`);
    const diff = diffLines(['same', ...many('a')], ['same', ...many('b')]);
    expect(diff.slice(0, 2)).toEqual([
      { kind: 'same', text: 'same' },
      { kind: 'removed', text: 'a0' },
    ]);
    expect(diff).toHaveLength(6001);
  });
});

describe('equal lines far from a difference', () => {
  it('are counted instead of shown', () => {
    const short = shortenEqual(diffLines(lines('abcdefgh'), lines('abcdXfgh')), 1);
    expect(short.map((line) => (line.kind === 'skipped' ? line.count : `${marks[line.kind]}${line.text}`))).toEqual([
      3,
      ' d',
      '-e',
      '+X',
      ' f',
      2,
    ]);
  });
});
