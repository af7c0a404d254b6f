// "Did you mean …?" for names that were mistyped.

/** The candidate nearest to `text`; undefined if none is near enough, or more than half of the letters differ. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.ceil(text.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (distance > Math.max(text.length, candidate.length) / 2) continue;
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Up to `most` of them, the nearest first. */
export function nearestOf(text: string, candidates: Iterable<string>, most: number): readonly string[] {
  const left = new Set(candidates);
  const found: string[] = [];
  while (found.length < most) {
    const next = nearest(text, left);
    if (next === undefined) break;
    found.push(next);
    left.delete(next);
  }
  return found;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours between two strings; long ones are compared by their
 * first 64 characters.
 */
function editDistance(left: string, right: string): number {
  const [a, b] = [left.slice(0, 64), right.slice(0, 64)];
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
