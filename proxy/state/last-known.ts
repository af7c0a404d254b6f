// What was read of a state that may go out of reach, for as long as nobody changed it. Kept as text, so that whoever was given a value cannot change what
// is remembered. What is not there is not remembered: out of reach, nobody can say whether it still is not.

import { prefixBounds } from './state-change.ts';
import type { RangeOptions } from './state-store.ts';

/** A row as the store has it. */
export interface KnownRow {
  readonly key: string;
  readonly text: string;
}

export interface LastKnown {
  readonly row: (key: string) => KnownRow | undefined;
  readonly range: (prefix: string, options: RangeOptions) => readonly KnownRow[] | undefined;
  readonly learnRow: (row: KnownRow) => void;
  readonly learnRange: (prefix: string, options: RangeOptions, rows: readonly KnownRow[]) => void;
  /** These were written by somebody. */
  readonly forget: (keys: readonly string[]) => void;
  readonly forgetAll: () => void;
}

interface KnownRange {
  readonly prefix: string;
  readonly rows: readonly KnownRow[];
}

/** Ranges that decide about requests are short: settings. Of longer ones nothing is kept. */
const longestRange = 200;
const mostRanges = 50;

export function createLastKnown(capacity = 20_000): LastKnown {
  const rows = new Map<string, KnownRow>();
  const ranges = new Map<string, KnownRange>();
  return {
    row: (key) => rows.get(key),
    range: (prefix, options) => ranges.get(nameOf(prefix, options))?.rows,
    learnRow: (row) => {
      rows.delete(row.key);
      if (rows.size >= capacity) forgetOldest(rows);
      rows.set(row.key, row);
    },
    learnRange: (prefix, options, found) => {
      if (found.length > longestRange) return;
      const name = nameOf(prefix, options);
      ranges.delete(name);
      if (ranges.size >= mostRanges) forgetOldest(ranges);
      ranges.set(name, { prefix, rows: found });
    },
    forget: (keys) => {
      for (const key of keys) rows.delete(key);
      for (const [name, { prefix }] of ranges) if (keys.some((key) => isWithin(key, prefix))) ranges.delete(name);
    },
    forgetAll: () => {
      rows.clear();
      ranges.clear();
    },
  };
}

function isWithin(key: string, prefix: string): boolean {
  const { start, end } = prefixBounds(prefix);
  return key >= start && key < end;
}

function nameOf(prefix: string, { after = '', limit = -1, reverse = false }: RangeOptions): string {
  return `${prefix} ${after} ${limit} ${String(reverse)}`;
}

function forgetOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
