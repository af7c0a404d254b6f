// Counts by version and day: downloads of archives, or installs that clients told of. One costs its request one step of
// a number; every few seconds, and when the service ends, the numbers go into the state, on top of what other processes
// added. They are bookkeeping and nobody's decision: no audit events. A process that is killed loses a few seconds of
// them.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../state/state-store.ts';

export interface Downloads {
  /** One more. */
  readonly count: (name: string, version: string) => void;
  /** All days that are kept, oldest first, those counted until now included. */
  readonly daysOf: (name: string) => Promise<readonly DownloadDay[]>;
  /** name → how many since ever */
  readonly totals: () => Promise<ReadonlyMap<string, number>>;
  readonly totalOf: (name: string) => Promise<number>;
  /** name → version → how many since ever; of one package where `name` is given */
  readonly versionTotals: (name?: string) => Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>;
  readonly flush: () => Promise<void>;
  /** Keeps what was counted, and ends. */
  readonly close: () => Promise<void>;
}

export interface DownloadDay {
  /** of UTC, `2026-01-31` */
  readonly date: string;
  readonly versions: ReadonlyMap<string, number>;
}

export interface DownloadsOptions {
  readonly state: StateStore;
  /** default: downloads */
  readonly counted?: 'downloads' | 'installs';
  /** epoch milliseconds */
  readonly now: () => number;
  /** of counts that could not be kept: they are tried again */
  readonly onError: (error: unknown) => void;
  /** days; default 400 */
  readonly retention?: (() => MaybeAsync<number>) | undefined;
  /** milliseconds between two writes; 0: only when asked */
  readonly everyMs?: number;
}

type Counts = Map<string, Map<string, number>>;

const dayMs = 86_400_000;
const standardRetention = 400;
const packagesInCommit = 200;

export function createDownloads(options: DownloadsOptions): Downloads {
  const { everyMs = 5000, onError } = options;
  let pending: Counts = new Map();
  let writing: Promise<void> = Promise.resolve();

  const count = (name: string, version: string): void => {
    const versions = pending.get(name);
    if (versions === undefined) pending.set(name, new Map([[version, 1]]));
    else versions.set(version, (versions.get(version) ?? 0) + 1);
  };
  const write = async (): Promise<void> => {
    if (pending.size === 0) return;
    const rows = [...pending];
    pending = new Map();
    for (let from = 0; from < rows.length; from += packagesInCommit) {
      try {
        await add(options, rows.slice(from, from + packagesInCommit));
      } catch (error) {
        for (const [name, versions] of rows.slice(from))
          for (const [version, more] of versions) restore(pending, name, version, more);
        throw error;
      }
    }
  };
  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write); // whoever asked for the one before was told
    return writing;
  };
  /** Writes, and resolves to the counts that a full or read-only disk left unwritten: such a disk stops no reader. */
  const unwrittenCounts = async (): Promise<Counts> => {
    try {
      await flush();
      return new Map();
    } catch (error) {
      if (storageFaultOf(error) === undefined) throw error;
      return new Map([...pending].map(([name, versions]) => [name, new Map(versions)])); // the timer tells of the fault
    }
  };
  const timer = everyMs === 0 ? undefined : setInterval(() => void flush().catch(onError), everyMs);
  timer?.unref();
  return {
    count,
    flush,
    daysOf: async (name) => {
      const unwritten = await unwrittenCounts();
      const oldest = await oldestDay(options);
      const days = new Map(
        (await options.state.range(keysOf(options).days(name))).map(({ key, value }) => [
          key.slice(-dateLength),
          parseDay(value),
        ]),
      );
      const today = dateOf(options.now());
      const more = unwritten.get(name);
      if (more !== undefined) days.set(today, sum(days.get(today) ?? new Map(), more));
      return [...days].map(([date, versions]) => ({ date, versions })).filter(({ date }) => date >= oldest);
    },
    totals: async () => {
      const unwritten = await unwrittenCounts();
      const totals = await readRows(options, keysOf(options).total(''), numberOf);
      return withMore(totals, unwritten, (total, more) => (total ?? 0) + sumOf(more));
    },
    versionTotals: async (name) => {
      const unwritten = await unwrittenCounts();
      const prefix = keysOf(options).versions('');
      const totals =
        name === undefined
          ? await readRows(options, prefix, parseDay)
          : new Map([[name, parseDay((await options.state.get(prefix + name))?.value)]]);
      const wanted = name === undefined ? unwritten : new Map([...unwritten].filter(([other]) => other === name));
      return withMore(totals, wanted, (versions, more) => sum(versions ?? new Map(), more));
    },
    totalOf: async (name) => {
      const unwritten = await unwrittenCounts();
      const more = unwritten.get(name);
      return (
        numberOf((await options.state.get(keysOf(options).total(name)))?.value) + (more === undefined ? 0 : sumOf(more))
      );
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

function withMore<Value>(
  kept: ReadonlyMap<string, Value>,
  unwritten: Counts,
  add: (kept: Value | undefined, more: ReadonlyMap<string, number>) => Value,
): ReadonlyMap<string, Value> {
  if (unwritten.size === 0) return kept;
  return new Map([...kept, ...[...unwritten].map(([name, more]) => [name, add(kept.get(name), more)] as const)]);
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, one) => all + one, 0);
}

function restore(counts: Counts, name: string, version: string, more: number): void {
  const versions = counts.get(name) ?? new Map<string, number>();
  counts.set(name, versions.set(version, (versions.get(version) ?? 0) + more));
}

const dateLength = 'YYYY-MM-DD'.length;
const totalsInTurn = 1000;

interface Keys {
  /** followed by the date */
  readonly days: (name: string) => string;
  readonly total: (name: string) => string;
  /** the same by version */
  readonly versions: (name: string) => string;
}

const keys: Readonly<Record<'downloads' | 'installs', Keys>> = {
  downloads: {
    days: (name) => `downloads/${name}/`,
    total: (name) => `download-total/${name}`,
    versions: (name) => `download-versions/${name}`,
  },
  installs: {
    days: (name) => `installs/${name}/`,
    total: (name) => `install-total/${name}`,
    versions: (name) => `install-versions/${name}`,
  },
};

function keysOf({ counted = 'downloads' }: Pick<DownloadsOptions, 'counted'>): Keys {
  return keys[counted];
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** Some at a time: there are thousands, and others wait. */
async function readRows<Value>(
  { state }: DownloadsOptions,
  prefix: string,
  parse: (value: JsonValue) => Value,
): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>();
  for (let after: string | undefined; ; await new Promise(setImmediate)) {
    const rows = await state.range(prefix, { limit: totalsInTurn, ...(after === undefined ? {} : { after }) });
    for (const { key, value } of rows) found.set(key.slice(prefix.length), parse(value));
    after = rows.at(-1)?.key;
    if (rows.length < totalsInTurn) return found;
  }
}

function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, dateLength);
}

async function oldestDay({ now, retention }: DownloadsOptions): Promise<string> {
  return dateOf(now() - ((await (retention?.() ?? standardRetention)) - 1) * dayMs);
}

/** To what other processes count as well: again from the start where one of them came first. */
async function add(
  options: DownloadsOptions,
  rows: readonly (readonly [string, ReadonlyMap<string, number>])[],
): Promise<void> {
  const { state, now } = options;
  const family = keysOf(options);
  const date = dateOf(now());
  const oldest = await oldestDay(options);
  for (;;) {
    const looked = await Promise.all(
      rows.map(async ([name, more]) => ({
        name,
        more,
        day: await state.get(family.days(name) + date),
        total: await state.get(family.total(name)),
        versions: await state.get(family.versions(name)),
      })),
    );
    // with the first count of a day go the days that are over
    const old = await Promise.all(
      looked.map(({ name, day }) => (day === undefined ? daysBefore(state, family.days(name), oldest) : [])),
    );
    // an older version of Libretto kept none by version: those of the days that are kept are known
    const before = await Promise.all(
      looked.map(({ name, versions }) =>
        versions === undefined ? sumOfDays(state, family.days(name)) : parseDay(versions.value),
      ),
    );
    const done = await state.commit({
      conditions: looked.flatMap(({ name, day, total, versions }) => [
        { key: family.days(name) + date, revision: day?.revision ?? null },
        { key: family.total(name), revision: total?.revision ?? null },
        { key: family.versions(name), revision: versions?.revision ?? null },
      ]),
      puts: looked.flatMap(({ name, more, day, total }, at) => [
        { key: family.days(name) + date, value: Object.fromEntries(sum(parseDay(day?.value), more)) },
        { key: family.total(name), value: numberOf(total?.value) + sumOf(more) },
        { key: family.versions(name), value: Object.fromEntries(sum(before[at] ?? new Map(), more)) },
      ]),
      deletes: old.flat(),
      quiet: true,
    });
    if (done) return;
  }
}

async function daysBefore(state: StateStore, prefix: string, oldest: string): Promise<readonly string[]> {
  const days = await state.range(prefix, { limit: 1000 });
  return days.flatMap(({ key }) => (key.slice(-dateLength) < oldest ? [key] : []));
}

async function sumOfDays(state: StateStore, prefix: string): Promise<ReadonlyMap<string, number>> {
  return (await state.range(prefix)).map(({ value }) => parseDay(value)).reduce(sum, new Map());
}

function sum(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const all = new Map(one);
  for (const [version, more] of other) all.set(version, (all.get(version) ?? 0) + more);
  return all;
}

/** What is malformed counts for nothing: it is not worth an error. */
export function parseDay(value: JsonValue | undefined): ReadonlyMap<string, number> {
  if (!isJsonObject(value)) return new Map();
  return new Map(
    Object.entries(value).filter(
      (pair): pair is [string, number] => typeof pair[1] === 'number' && Number.isSafeInteger(pair[1]) && pair[1] >= 0,
    ),
  );
}
