// Marks the words that differ between a removed line and the added line that replaces it. Pure.

import { diffLines, type DiffLine, type SkippedLines } from './diff-lines.ts';

/** Words of longer lines are not compared: it would take too long. */
const longestMarked = 300;
const word = /[\p{L}\p{N}_]+|\s+|[^]/gu;
/** Below this share of equal characters they are two lines, and marked words in them would only confuse. */
const leastEqual = 0.4;

export function markWords<Line extends DiffLine>(
  rows: readonly (Line | SkippedLines)[],
): readonly (Line | SkippedLines)[] {
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
export function markHtml(html: string, words: readonly DiffLine[]): string {
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
