// What was read of a state that may go out of reach, for as long as nobody changed it. Kept as text, so that whoever
// was given a value cannot change what is remembered. What is not there is not remembered: out of reach, nobody can say
// whether it still is not.

import { prefixBounds } from './state-change.ts';
import type { RangeOptions } from './state-store.ts';

/** A row as the store has it. */
export interface KnownRow {
  readonly key: string;
  readonly text: string;
}

/** What was read: a row, or the rows below a prefix. */
export type Reading = { readonly key: string } | { readonly prefix: string; readonly options: RangeOptions };

export interface LastKnown {
  readonly row: (key: string) => KnownRow | undefined;
  readonly range: (prefix: string, options: RangeOptions) => readonly KnownRow[] | undefined;
  /**
   * Reads, and remembers what was read unless somebody wrote it meanwhile. `asOf`: the generation that the state has
   * reached at least.
   */
  readonly learnRow: (
    key: string,
    asOf: number,
    read: () => Promise<KnownRow | undefined>,
  ) => Promise<KnownRow | undefined>;
  readonly learnRange: (
    prefix: string,
    options: RangeOptions,
    asOf: number,
    read: () => Promise<readonly KnownRow[]>,
  ) => Promise<readonly KnownRow[]>;
  /** These were written in this generation: what was read of an earlier one is not true any more. */
  readonly forget: (keys: readonly string[], generation: number) => void;
  readonly forgetAll: () => void;
  /** Nobody can tell what was changed: nothing is given until it was read again. */
  readonly doubtAll: () => void;
  /** These are to be read again. */
  readonly doubt: (readings: readonly Reading[]) => void;
  /** how many are to be read again */
  readonly doubted: () => number;
  /** Some of them, which count as read again from now on. */
  readonly takeDoubted: (count: number) => readonly Reading[];
}

interface Known<T> {
  readonly value: T;
  readonly asOf: number;
  readonly reading: Reading;
}

/** Ranges that decide about requests are short: settings. Of longer ones nothing is kept. */
const longestRange = 200;
const mostRanges = 50;

export function createLastKnown(capacity = 20_000): LastKnown {
  const rows = new Map<string, Known<KnownRow>>();
  const ranges = new Map<string, Known<readonly KnownRow[]>>();
  const underWay = new Set<{ readonly reading: Reading; readonly asOf: number; current: boolean }>();
  const doubted = new Map<string, Reading>();

  /** Reads, and keeps it in `kept` where it is worth it. */
  const learn = async <T>(
    kept: Map<string, Known<T & object>>,
    most: number,
    reading: Reading,
    asOf: number,
    read: () => Promise<T>,
    isKept: (value: T) => value is T & object,
  ): Promise<T> => {
    const attempt = { reading, asOf, current: true };
    underWay.add(attempt);
    const value = await read().finally(() => underWay.delete(attempt));
    if (!isKept(value) || !attempt.current) return value;
    const name = nameOf(reading);
    kept.delete(name);
    if (kept.size >= most) forgetOldest(kept);
    kept.set(name, { value, asOf, reading });
    return value;
  };
  const clear = (): void => {
    for (const attempt of underWay) attempt.current = false;
    rows.clear();
    ranges.clear();
  };
  const doubt = (readings: readonly Reading[]): void => {
    for (const reading of readings) {
      if (doubted.size >= capacity + mostRanges) forgetOldest(doubted);
      doubted.set(nameOf(reading), reading);
    }
  };
  return {
    row: (key) => rows.get(nameOf({ key }))?.value,
    range: (prefix, options) => ranges.get(nameOf({ prefix, options }))?.value,
    learnRow: (key, asOf, read) => learn(rows, capacity, { key }, asOf, read, (row) => row !== undefined),
    learnRange: (prefix, options, asOf, read) =>
      learn(
        ranges,
        mostRanges,
        { prefix, options },
        asOf,
        read,
        (found): found is readonly KnownRow[] => found.length <= longestRange,
      ),
    forget: (keys, generation) => {
      const isOld = ({ reading, asOf }: { readonly reading: Reading; readonly asOf: number }): boolean =>
        asOf < generation && keys.some((key) => concerns(reading, key));
      for (const key of keys)
        if ((rows.get(nameOf({ key }))?.asOf ?? generation) < generation) rows.delete(nameOf({ key }));
      for (const attempt of underWay) if (isOld(attempt)) attempt.current = false;
      for (const [name, known] of ranges) if (isOld(known)) ranges.delete(name);
    },
    forgetAll: () => {
      clear();
      doubted.clear();
    },
    doubtAll: () => {
      doubt([...rows.values(), ...ranges.values()].map(({ reading }) => reading));
      clear();
    },
    doubt,
    doubted: () => doubted.size,
    takeDoubted: (count) => {
      const taken: Reading[] = [];
      for (const [name, reading] of doubted) {
        if (taken.length === count) break;
        taken.push(reading);
        doubted.delete(name);
      }
      return taken;
    },
  };
}

function concerns(reading: Reading, key: string): boolean {
  if ('key' in reading) return reading.key === key;
  const { start, end } = prefixBounds(reading.prefix);
  return key >= start && key < end;
}

function nameOf(reading: Reading): string {
  if ('key' in reading) return reading.key;
  const { after = '', limit = -1, reverse = false } = reading.options;
  return `${reading.prefix} ${after} ${limit} ${String(reverse)}`;
}

function forgetOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
