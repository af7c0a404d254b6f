// The differences of two texts as numbered rows of HTML: equal lines far from a difference are counted, words are
// highlighted, and those that differ are marked. Pure.

import { diffLines, shortenEqual, type DiffLine, type SkippedLines } from './diff-lines.ts';
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

// Marks the words that differ between a removed line and the added line that replaces it. Pure.

/** Words of longer lines are not compared: it would take too long. */
const longestMarked = 300;
const word = /[\p{L}\p{N}_]+|\s+|[^]/gu;
/** Below this share of equal characters they are two lines, and marked words in them would only confuse. */
const leastEqual = 0.4;

function markWords<Line extends DiffLine>(rows: readonly (Line | SkippedLines)[]): readonly (Line | SkippedLines)[] {
  const marked = [...rows];
  for (let at = 0; at < marked.length; at += 1) {
    let removed = 0;
    while (marked[at + removed]?.kind === 'removed') removed += 1;
    for (let pair = 0; pair < removed; pair += 1) {
      const [old, now] = [marked[at + pair], marked[at + removed + pair]];
      if (old?.kind !== 'removed' || now?.kind !== 'added') break;
      [marked[at + pair], marked[at + removed + pair]] = markPair(old, now);
    }
    at += removed;
  }
  return marked;
}

function markPair<Line extends DiffLine>(old: Line, now: Line): readonly [Line, Line] {
  if (Math.max(old.text.length, now.text.length) > longestMarked) return [old, now];
  const parts = diffLines(old.text.match(word) ?? [], now.text.match(word) ?? []);
  const equal = parts.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.trim().length : 0), 0);
  if (equal < leastEqual * Math.max(old.text.trim().length, now.text.trim().length)) return [old, now];
  return [
    { ...old, words: parts.filter(({ kind }) => kind !== 'added') },
    { ...now, words: parts.filter(({ kind }) => kind !== 'removed') },
  ];
}

/** The HTML of a line, with `<b>` around the words that differ; no `<b>` crosses a tag. */
function markHtml(html: string, words: readonly DiffLine[]): string {
  const differs = words.flatMap(({ kind, text }) => Array.from({ length: text.length }, () => kind !== 'same'));
  let [marked, at, isOpen] = ['', 0, false];
  for (const [piece] of html.matchAll(/<[^>]*>|&[^;]+;|[^]/gu)) {
    const isTag = piece.startsWith('<');
    const opens = !isTag && differs[at] === true;
    if (opens !== isOpen) marked += opens ? '<b>' : '</b>';
    isOpen = opens;
    marked += piece;
    at += isTag ? 0 : piece.startsWith('&') ? 1 : piece.length;
  }
  return isOpen ? `${marked}</b>` : marked;
}
