// Counts by version and day: downloads of archives, or reported installs. A request increments one number. Every few
// seconds, and at the end of the service, the numbers are added to the state, on top of those of other processes. They
// are bookkeeping without audit events. A killed process loses a few seconds of them.

import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import {
  add,
  dateLength,
  dateOf,
  keysOf,
  numberOf,
  oldestDay,
  parseDay,
  readRows,
  sum,
  sumOf,
  type DownloadsOptions,
} from './download-rows.ts';

export interface Downloads {
  /** Counts one more. */
  readonly count: (name: string, version: string) => void;
  /** All stored days, oldest first, including the counts until now. */
  readonly daysOf: (name: string) => Promise<readonly DownloadDay[]>;
  /** date → how many of all packages together, for the stored days with a count */
  readonly byDay: () => Promise<ReadonlyMap<string, number>>;
  /** name → how many in total */
  readonly totals: () => Promise<ReadonlyMap<string, number>>;
  readonly totalOf: (name: string) => Promise<number>;
  /** name → version → total; only one package if `name` is given */
  readonly versionTotals: (name?: string) => Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>;
  readonly flush: () => Promise<void>;
  /** Stores the counts, and ends. */
  readonly close: () => Promise<void>;
}

export interface DownloadDay {
  /** a day in UTC, `2026-01-31` */
  readonly date: string;
  readonly versions: ReadonlyMap<string, number>;
}

type Counts = Map<string, Map<string, number>>;

const packagesInCommit = 200;

export function createDownloads(options: DownloadsOptions): Downloads {
  const { everyMs = 5000, onError } = options;
  const unwritten = new UnwrittenCounts(options);
  const timer = everyMs === 0 ? undefined : setInterval(() => void unwritten.flush().catch(onError), everyMs);
  timer?.unref();
  return {
    count: (name, version) => unwritten.count(name, version),
    flush: () => unwritten.flush(),
    daysOf: async (name) => daysOf(options, name, (await unwritten.left()).get(name)),
    byDay: async () => {
      const left = await unwritten.left();
      const days = new Map(await readRows(options, keysOf(options).all(''), numberOf));
      const [today, more] = [dateOf(options.now()), [...left.values()].reduce((count, one) => count + sumOf(one), 0)];
      if (more > 0) days.set(today, (days.get(today) ?? 0) + more);
      return days;
    },
    totals: async () => {
      const left = await unwritten.left();
      const totals = await readRows(options, keysOf(options).total(''), numberOf);
      return withMore(totals, left, (total, more) => (total ?? 0) + sumOf(more));
    },
    versionTotals: async (name) => versionTotals(options, name, await unwritten.left()),
    totalOf: async (name) => {
      const more = (await unwritten.left()).get(name);
      return (
        numberOf((await options.state.get(keysOf(options).total(name)))?.value) + (more === undefined ? 0 : sumOf(more))
      );
    },
    close: async () => {
      clearInterval(timer);
      await unwritten.flush();
    },
  };
}

/** Counts in memory, on their way to the state. */
class UnwrittenCounts {
  readonly #options: DownloadsOptions;
  #pending: Counts = new Map();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  count(name: string, version: string): void {
    const versions = this.#pending.get(name);
    if (versions === undefined) this.#pending.set(name, new Map([[version, 1]]));
    else versions.set(version, (versions.get(version) ?? 0) + 1);
  }

  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write()); // its own caller got the error
    return this.#writing;
  }

  /** Writes, and resolves to the counts that a full or read-only disk left unwritten: such a disk stops no reader. */
  async left(): Promise<Counts> {
    try {
      await this.flush();
      return new Map();
    } catch (error) {
      if (storageFaultOf(error) === undefined) throw error;
      // the timer reports the fault
      return new Map([...this.#pending].map(([name, versions]) => [name, new Map(versions)]));
    }
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const rows = [...this.#pending];
    this.#pending = new Map();
    for (let from = 0; from < rows.length; from += packagesInCommit) {
      try {
        await add(this.#options, rows.slice(from, from + packagesInCommit));
      } catch (error) {
        for (const [name, versions] of rows.slice(from))
          for (const [version, more] of versions) restore(this.#pending, name, version, more);
        throw error;
      }
    }
  }
}

/** `more`: not yet written; it belongs to today. */
async function daysOf(
  options: DownloadsOptions,
  name: string,
  more: ReadonlyMap<string, number> | undefined,
): ReturnType<Downloads['daysOf']> {
  const oldest = await oldestDay(options);
  const days = new Map(
    (await options.state.range(keysOf(options).days(name))).map(({ key, value }) => [
      key.slice(-dateLength),
      parseDay(value),
    ]),
  );
  const today = dateOf(options.now());
  if (more !== undefined) days.set(today, sum(days.get(today) ?? new Map(), more));
  return [...days].map(([date, versions]) => ({ date, versions })).filter(({ date }) => date >= oldest);
}

/** The totals of one package, or of all. */
async function versionTotals(
  options: DownloadsOptions,
  name: string | undefined,
  left: Counts,
): ReturnType<Downloads['versionTotals']> {
  const prefix = keysOf(options).versions('');
  const totals =
    name === undefined
      ? await readRows(options, prefix, parseDay)
      : new Map([[name, parseDay((await options.state.get(prefix + name))?.value)]]);
  const wanted = name === undefined ? left : new Map([...left].filter(([other]) => other === name));
  return withMore(totals, wanted, (versions, more) => sum(versions ?? new Map(), more));
}

function withMore<Value>(
  kept: ReadonlyMap<string, Value>,
  unwritten: Counts,
  add: (kept: Value | undefined, more: ReadonlyMap<string, number>) => Value,
): ReadonlyMap<string, Value> {
  if (unwritten.size === 0) return kept;
  return new Map([...kept, ...[...unwritten].map(([name, more]) => [name, add(kept.get(name), more)] as const)]);
}

function restore(counts: Counts, name: string, version: string, more: number): void {
  const versions = counts.get(name) ?? new Map<string, number>();
  counts.set(name, versions.set(version, (versions.get(version) ?? 0) + more));
}
