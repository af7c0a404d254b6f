// A cache of rows and ranges of a state that may become unreachable. Values are stored as text, so that no caller can
// change them. Missing rows are not cached: during an outage, their absence is unknown.

import { prefixBounds } from '../core/state/state-change.ts';
import type { RangeOptions } from '../core/state/state-store.ts';

/** A row as the store has it. */
export interface StoreRow {
  readonly key: string;
  readonly text: string;
}

/** The key or the range of one read. */
export type Reading = { readonly key: string } | { readonly prefix: string; readonly options: RangeOptions };

interface Known<T> {
  readonly value: T;
  readonly asOf: number;
  readonly reading: Reading;
}

/** Ranges that decide about requests are read whole: settings, repositories. Pages and longer ranges are not cached. */
const longestRange = 2000;
const mostRanges = 50;

interface Attempt {
  readonly reading: Reading;
  readonly asOf: number;
  /** false: a write came in between, and the result is not cached */
  current: boolean;
}

export class LastKnown {
  readonly #capacity: number;
  readonly #rows = new Map<string, Known<StoreRow>>();
  readonly #ranges = new Map<string, Known<readonly StoreRow[]>>();
  readonly #inFlight = new Set<Attempt>();
  readonly #stale = new Map<string, Reading>();

  constructor(capacity = 20_000) {
    this.#capacity = capacity;
  }

  row(key: string): StoreRow | undefined {
    return this.#rows.get(nameOf({ key }))?.value;
  }

  range(prefix: string, options: RangeOptions): readonly StoreRow[] | undefined {
    return this.#ranges.get(nameOf({ prefix, options }))?.value;
  }

  /** Reads a row and caches it, unless a write came in between. `asOf`: a generation that the state has reached. */
  learnRow(key: string, asOf: number, read: () => Promise<StoreRow | undefined>): Promise<StoreRow | undefined> {
    return this.#learn({ reading: { key }, asOf }, read, (value, row) => {
      if (value === undefined) this.#rows.delete(key);
      else keep(this.#rows, this.#capacity, { ...row, value });
    });
  }

  /** Reads a range and caches it, unless a write came in between. */
  learnRange(
    prefix: string,
    options: RangeOptions,
    asOf: number,
    read: () => Promise<readonly StoreRow[]>,
  ): Promise<readonly StoreRow[]> {
    return this.#learn({ reading: { prefix, options }, asOf }, read, (value, range) => {
      if (value.length <= longestRange && options.after === undefined)
        keep(this.#ranges, mostRanges, { ...range, value });
    });
  }

  /** This generation wrote these keys: drops their values of earlier generations, or marks them for another read. */
  forget(keys: readonly string[], generation: number, then: 'drop' | 'read again'): void {
    const isOld = ({ reading, asOf }: Pick<Attempt, 'reading' | 'asOf'>): boolean =>
      asOf < generation && keys.some((key) => concerns(reading, key));
    const rows = keys.flatMap((key) => this.#rows.get(nameOf({ key })) ?? []);
    const old = [...rows, ...this.#ranges.values(), ...this.#inFlight].filter(isOld);
    for (const one of old) this.#drop(one);
    if (then === 'read again') this.markStale(old.map(({ reading }) => reading));
  }

  /** These rows may have been written: drops them, and no range. */
  forgetRows(keys: readonly string[]): void {
    for (const key of keys) this.#drop({ reading: { key } });
    for (const one of this.#inFlight) if ('key' in one.reading && keys.includes(one.reading.key)) this.#drop(one);
  }

  forgetAll(): void {
    this.#clear();
    this.#stale.clear();
  }

  /** The changed keys are unknown: every value is read again before its next use. */
  markAllStale(): void {
    this.markStale([...this.#rows.values(), ...this.#ranges.values()].map(({ reading }) => reading));
    this.#clear();
  }

  /** Marks these for another read. */
  markStale(readings: readonly Reading[]): void {
    for (const reading of readings) {
      if (this.#stale.size >= this.#capacity + mostRanges) forgetOldest(this.#stale);
      this.#stale.set(nameOf(reading), reading);
    }
  }

  /** The number of values that are marked for another read. */
  staleCount(): number {
    return this.#stale.size;
  }

  /** Takes some marked values: the caller reads them again. */
  takeStale(count: number): readonly Reading[] {
    const taken: Reading[] = [];
    for (const [name, reading] of this.#stale) {
      if (taken.length === count) break;
      taken.push(reading);
      this.#stale.delete(name);
    }
    return taken;
  }

  async #learn<T>(
    { reading, asOf }: Pick<Attempt, 'reading' | 'asOf'>,
    read: () => Promise<T>,
    store: (value: T, known: Pick<Attempt, 'reading' | 'asOf'>) => void,
  ): Promise<T> {
    const attempt = { reading, asOf, current: true };
    this.#inFlight.add(attempt);
    const value = await read().finally(() => this.#inFlight.delete(attempt));
    if (attempt.current) store(value, { reading, asOf });
    return value;
  }

  #drop(one: Pick<Attempt, 'reading'> & Partial<Attempt>): void {
    if ('current' in one) one.current = false;
    else ('key' in one.reading ? this.#rows : this.#ranges).delete(nameOf(one.reading));
  }

  #clear(): void {
    for (const attempt of this.#inFlight) attempt.current = false;
    this.#rows.clear();
    this.#ranges.clear();
  }
}

function keep<T>(cache: Map<string, Known<T>>, most: number, known: Known<T>): void {
  const name = nameOf(known.reading);
  cache.delete(name);
  if (cache.size >= most) forgetOldest(cache);
  cache.set(name, known);
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
