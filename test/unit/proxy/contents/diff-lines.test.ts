// Tests the comparison of two texts line by line, as text and as HTML.

import { describe, expect, it } from 'vitest';
import { diffLines, shortenEqual, type DiffLine } from '../../../../proxy/contents/diff-lines.ts';
import { sourceText } from '../../../../proxy/contents/source-text.ts';
import { textDifference } from '../../../../proxy/contents/text-difference.ts';
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
    const short = shortenEqual(diffLines(lines('abcdefghij'), lines('abcdXfghIj')), 1);
    expect(short.map((line) => (line.kind === 'skipped' ? line.count : `${marks[line.kind]}${line.text}`))).toEqual([
      3,
      ' d',
      '-e',
      '+X',
      ' f',
      ' g', // one alone is shown
      ' h',
      '-i',
      '+I',
      ' j',
    ]);
  });
});

describe('the rows of a page', () => {
  const code = fc.array(
    fc.constantFrom('<', '&', '</span>', '$a', "'", '/*', '*/', '\n', '<?php ', '\u202e', '\u{1f600}', '1', ' '),
  );
  const tag = /<span class="[a-z_ -]+">|<\/span>|<\/?b>/g;
  const read = (html: string): string =>
    html.replaceAll(tag, '').replaceAll(/&(?:lt|gt|quot|#x27|#39|amp);/g, (one) => entities[one] ?? '');
  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#x27;': "'",
    '&#39;': "'",
    '&amp;': '&',
  };

  it('show every line with its numbers, and nothing of it becomes a tag', () => {
    fc.assert(
      fc.property(code, code, fc.boolean(), (one, other, isPlain) => {
        const [old, now] = [one, other].map((parts) => sourceText(Buffer.from(parts.join('')), 'a.php', isPlain));
        if (old === undefined || now === undefined) throw new Error('there are two texts');
        for (const row of textDifference(old, now).rows) {
          if (row.kind === 'skipped') continue;
          expect(row.html.replaceAll(tag, '')).not.toContain('<');
          const open: string[] = [];
          for (const [, end, name] of row.html.matchAll(/<(\/?)(\w+)/g))
            if (end === '') open.push(name ?? '');
            else expect(open.pop()).toBe(name);
          expect(open).toEqual([]);
          const text = read(row.html);
          if (row.kind !== 'added') expect(old.lines[row.before - 1]).toBe(text);
          if (row.kind !== 'removed') expect(now.lines[row.after - 1]).toBe(text);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('cut a line of 400 KB, and do not highlight its file', () => {
    const long = (letter: string) => sourceText(Buffer.from(`$a = '${letter.repeat(400_000)}';`), 'a.php', false);
    const { rows } = textDifference(long('x'), long('y'));
    expect(rows.map((row) => (row.kind === 'skipped' ? 0 : row.html.length))).toEqual([1004, 1004]);
  });
});
