// The differences of two texts as numbered rows of HTML: equal lines far from a difference are counted, words are
// highlighted, and those that differ are marked. Pure.

import { diffLines, shortenEqual, type DiffLine, type SkippedLines } from './diff-lines.ts';
import { markHtml, markWords } from './mark-words.ts';
import type { SourceText } from './source-text.ts';

export interface DifferentLine {
  readonly kind: DiffLine['kind'];
  /** its numbers in both texts, from 1; in the one that lacks it, that of the line above */
  readonly before: number;
  readonly after: number;
  /** safe to put into HTML */
  readonly html: string;
}

export type DifferenceRow = DifferentLine | SkippedLines;

const mostRows = 500;
const contextLines = 3;

/** `left`: the number of rows after the first `mostRows`. */
export function textDifference(old: SourceText, now: SourceText) {
  const lines = numbered(diffLines(linesIn(old), linesIn(now)));
  const shown = shortenEqual(lines, contextLines);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return {
    kind: 'difference',
    rows: markWords(shown.slice(0, mostRows)).map((row) => (row.kind === 'skipped' ? row : htmlRow(row, old, now))),
    added: count('added'),
    removed: count('removed'),
    left: Math.max(0, shown.length - mostRows),
  } as const;
}

/** An empty text has no line. */
function linesIn({ lines }: SourceText): readonly string[] {
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}

type NumberedLine = DiffLine & Pick<DifferentLine, 'before' | 'after'>;

function numbered(lines: readonly DiffLine[]): readonly NumberedLine[] {
  let [before, after] = [0, 0];
  return lines.map((line) => {
    if (line.kind !== 'added') before += 1;
    if (line.kind !== 'removed') after += 1;
    return { ...line, before, after };
  });
}

function htmlRow({ kind, before, after, words }: NumberedLine, old: SourceText, now: SourceText): DifferentLine {
  const html = (kind === 'removed' ? old.html[before - 1] : now.html[after - 1]) ?? '';
  return { kind, before, after, html: words === undefined ? html : markHtml(html, words) };
}
