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
  /** Reads, and remembers what was read unless somebody wrote it meanwhile. `asOf`: the generation that the state has reached at least. */
  readonly learnRow: (key: string, asOf: number, read: () => Promise<KnownRow | undefined>) => Promise<KnownRow | undefined>;
  readonly learnRange: (prefix: string, options: RangeOptions, asOf: number, read: () => Promise<readonly KnownRow[]>) => Promise<readonly KnownRow[]>;
  /** These were written in this generation: what was read of an earlier one is not true any more. */
  readonly forget: (keys: readonly string[], generation: number) => void;
  readonly forgetAll: () => void;
}

interface Reading {
  readonly concerns: (key: string) => boolean;
  readonly asOf: number;
  current: boolean;
}

interface Known<T> {
  readonly value: T;
  readonly asOf: number;
}

type KnownRange = Known<readonly KnownRow[]> & { readonly prefix: string };

/** Ranges that decide about requests are short: settings. Of longer ones nothing is kept. */
const longestRange = 200;
const mostRanges = 50;

export function createLastKnown(capacity = 20_000): LastKnown {
  const rows = new Map<string, Known<KnownRow>>();
  const ranges = new Map<string, KnownRange>();
  const readings = new Set<Reading>();

  const during = async <T>(reading: Reading, read: () => Promise<T>): Promise<T> => {
    readings.add(reading);
    try {
      return await read();
    } finally {
      readings.delete(reading);
    }
  };
  return {
    row: (key) => rows.get(key)?.value,
    range: (prefix, options) => ranges.get(nameOf(prefix, options))?.value,
    learnRow: async (key, asOf, read) => {
      const reading: Reading = { concerns: (written) => written === key, asOf, current: true };
      const row = await during(reading, read);
      if (row === undefined || !reading.current) return row;
      rows.delete(key);
      if (rows.size >= capacity) forgetOldest(rows);
      rows.set(key, { value: row, asOf });
      return row;
    },
    learnRange: async (prefix, options, asOf, read) => {
      const reading: Reading = { concerns: (written) => isWithin(written, prefix), asOf, current: true };
      const found = await during(reading, read);
      if (found.length > longestRange || !reading.current) return found;
      const name = nameOf(prefix, options);
      ranges.delete(name);
      if (ranges.size >= mostRanges) forgetOldest(ranges);
      ranges.set(name, { prefix, value: found, asOf });
      return found;
    },
    forget: (keys, generation) => {
      for (const key of keys) if ((rows.get(key)?.asOf ?? generation) < generation) rows.delete(key);
      for (const reading of readings) if (reading.asOf < generation && keys.some(reading.concerns)) reading.current = false;
      for (const [name, { prefix, asOf }] of ranges) if (asOf < generation && keys.some((key) => isWithin(key, prefix))) ranges.delete(name);
    },
    forgetAll: () => {
      for (const reading of readings) reading.current = false;
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
