// Compares two texts line by line, and shortens what is equal. Pure.

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** the pieces of the text, where the line replaces a similar one */
  readonly words?: readonly DiffLine[];
}

/** Equal lines that are not shown. */
export interface SkippedLines {
  readonly kind: 'skipped';
  readonly count: number;
}

/** Above this product of lengths the texts count as wholly different, since the table of the comparison grows with it. */
const largestTable = 4_000_000;

/** Removed lines come before the added lines that replace them. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const start = countEqual(before, after, (at) => [at, at]);
  const shorter = Math.min(before.length, after.length) - start;
  const end = Math.min(
    shorter,
    countEqual(before, after, (at) => [before.length - 1 - at, after.length - 1 - at]),
  );
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return [
    ...same(before.slice(0, start)),
    ...(old.length * now.length > largestTable ? replaced(old, now) : diffMiddle(old, now)),
    ...same(before.slice(before.length - end)),
  ];
}

/** Leaves out equal lines that are further than `context` lines from a difference, if there are several. */
export function shortenEqual<Line extends DiffLine>(
  lines: readonly Line[],
  context: number,
): readonly (Line | SkippedLines)[] {
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - context), at + context + 1);
  for (const at of isNear.keys()) if (isNear[at - 1] !== false && isNear[at + 1] !== false) isNear[at] = true;
  const shown: (Line | SkippedLines)[] = [];
  let count = 0;
  for (const [at, line] of lines.entries()) {
    if (isNear[at] !== true) {
      count += 1;
      continue;
    }
    if (count > 0) shown.push({ kind: 'skipped', count });
    count = 0;
    shown.push(line);
  }
  return count === 0 ? shown : [...shown, { kind: 'skipped', count }];
}

function countEqual(
  before: readonly string[],
  after: readonly string[],
  placesOf: (at: number) => readonly [number, number],
): number {
  for (let at = 0; ; at += 1) {
    const [one, other] = placesOf(at);
    const line = before[one];
    if (line === undefined || line !== after[other]) return at;
  }
}

/** The longest common subsequence: `lengths` has its length for every pair of rests. */
function diffMiddle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === now[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    const [removed = '', added = ''] = [old[row], now[column]];
    if (removed === added) {
      lines.push({ kind: 'same', text: removed });
      [row, column] = [row + 1, column + 1];
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) {
      lines.push({ kind: 'removed', text: removed });
      row += 1;
    } else {
      lines.push({ kind: 'added', text: added });
      column += 1;
    }
  }
  return [...lines, ...replaced(old.slice(row), now.slice(column))];
}

function replaced(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  return [
    ...old.map((text) => ({ kind: 'removed' as const, text })),
    ...now.map((text) => ({ kind: 'added' as const, text })),
  ];
}

function same(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ kind: 'same', text }));
}
