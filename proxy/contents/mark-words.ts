// Marks the words that differ between a removed line and the added line that replaces it. Pure.

import { diffLines, type DiffLine, type SkippedLines } from './diff-lines.ts';

type Row = DiffLine | SkippedLines;

const longestLine = 1000;
/** Words of longer lines are not compared: it would take too long. */
const longestMarked = 300;
const word = /[\p{L}\p{N}_]+|\s+|[^]/gu;
/** Below this share of equal characters they are two lines, and marked words in them would only confuse. */
const leastEqual = 0.4;

/** Long lines are cut, so that a page stays small. */
export function markWords(rows: readonly Row[]): readonly Row[] {
  const marked = rows.map((row) => (row.kind === 'skipped' ? row : { ...row, text: row.text.slice(0, longestLine) }));
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

function markPair(old: DiffLine, now: DiffLine): readonly [DiffLine, DiffLine] {
  if (Math.max(old.text.length, now.text.length) > longestMarked) return [old, now];
  const parts = diffLines(old.text.match(word) ?? [], now.text.match(word) ?? []);
  const equal = parts.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.trim().length : 0), 0);
  if (equal < leastEqual * Math.max(old.text.trim().length, now.text.trim().length)) return [old, now];
  return [
    { ...old, words: parts.filter(({ kind }) => kind !== 'added') },
    { ...now, words: parts.filter(({ kind }) => kind !== 'removed') },
  ];
}
