// The rows of the state with counts by version and day, and the addition of further counts.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';

export interface DownloadsOptions {
  readonly state: StateStore;
  /** default: downloads */
  readonly counted?: 'downloads' | 'installs';
  /** epoch milliseconds */
  readonly now: () => number;
  /** gets errors of counts that could not be stored: they are tried again */
  readonly onError: (error: unknown) => void;
  /** days; default 400 */
  readonly retention?: (() => MaybeAsync<number>) | undefined;
  /** milliseconds between two writes; 0: only on request */
  readonly everyMs?: number;
}

const dayMs = 86_400_000;
const standardRetention = 400;
export const dateLength = 'YYYY-MM-DD'.length;
const totalsInTurn = 1000;

interface Keys {
  /** followed by the date */
  readonly days: (name: string) => string;
  readonly total: (name: string) => string;
  /** the same by version */
  readonly versions: (name: string) => string;
  /** of all packages together, by date */
  readonly all: (date: string) => string;
}

const keys: Readonly<Record<'downloads' | 'installs', Keys>> = {
  downloads: {
    days: (name) => `downloads/${name}/`,
    total: (name) => `download-total/${name}`,
    versions: (name) => `download-versions/${name}`,
    all: (date) => `download-day/${date}`,
  },
  installs: {
    days: (name) => `installs/${name}/`,
    total: (name) => `install-total/${name}`,
    versions: (name) => `install-versions/${name}`,
    all: (date) => `install-day/${date}`,
  },
};

export function keysOf({ counted = 'downloads' }: Pick<DownloadsOptions, 'counted'>): Keys {
  return keys[counted];
}

export function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** Reads a limited number of rows at a time: there are thousands, and other requests wait. */
export async function readRows<Value>(
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

export function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, dateLength);
}

export async function oldestDay({ now, retention }: DownloadsOptions): Promise<string> {
  return dateOf(now() - ((await (retention?.() ?? standardRetention)) - 1) * dayMs);
}

/** Adds counts to the shared rows, and starts again after a concurrent change of another process. */
export async function add(
  options: DownloadsOptions,
  rows: readonly (readonly [string, ReadonlyMap<string, number>])[],
): Promise<void> {
  const { state, now } = options;
  const family = keysOf(options);
  const date = dateOf(now());
  const oldest = await oldestDay(options);
  for (;;) {
    const all = await state.get(family.all(date));
    const looked = await Promise.all(rows.map(([name, more]) => readCounts(state, family, { name, more, date })));
    // the first count of a day removes expired days
    const old = await Promise.all([
      all === undefined ? daysBefore(state, family.all(''), oldest) : [],
      ...looked.map(({ name, day }) => (day === undefined ? daysBefore(state, family.days(name), oldest) : [])),
    ]);
    // an older version of Libretto stored no counts by version: the days still stored have them
    const before = await Promise.all(
      looked.map(({ name, versions }) =>
        versions === undefined ? sumOfDays(state, family.days(name)) : parseDay(versions.value),
      ),
    );
    const additions = [
      additionToAll(family.all(date), all, rows),
      ...looked.map((counts, at) => addition(family, date, counts, before[at] ?? new Map())),
    ];
    const done = await state.commit({
      conditions: additions.flatMap(({ conditions }) => conditions),
      puts: additions.flatMap(({ puts }) => puts),
      deletes: old.flat(),
      quiet: true,
    });
    if (done) return;
  }
}

/** The stored rows of one package, and `more`, the counts by version to add. */
interface Counts {
  readonly name: string;
  readonly more: ReadonlyMap<string, number>;
  readonly day: StateEntry | undefined;
  readonly total: StateEntry | undefined;
  readonly versions: StateEntry | undefined;
}

async function readCounts(
  state: StateStore,
  family: Keys,
  { name, more, date }: Pick<Counts, 'name' | 'more'> & { readonly date: string },
): Promise<Counts> {
  return {
    name,
    more,
    day: await state.get(family.days(name) + date),
    total: await state.get(family.total(name)),
    versions: await state.get(family.versions(name)),
  };
}

/** `all`: the row of the day that counts all packages. */
function additionToAll(
  key: string,
  all: StateEntry | undefined,
  rows: readonly (readonly [string, ReadonlyMap<string, number>])[],
): Pick<StateChange, 'conditions' | 'puts'> {
  const more = rows.reduce((count, [, versions]) => count + sumOf(versions), 0);
  return {
    conditions: [{ key, revision: all?.revision ?? null }],
    puts: [{ key, value: numberOf(all?.value) + more }],
  };
}

/** `before`: the counts by version so far. */
function addition(
  family: Keys,
  date: string,
  { name, more, day, total, versions }: Counts,
  before: ReadonlyMap<string, number>,
): Pick<StateChange, 'conditions' | 'puts'> {
  const [dayKey, totalKey, versionsKey] = [family.days(name) + date, family.total(name), family.versions(name)];
  return {
    conditions: [
      { key: dayKey, revision: day?.revision ?? null },
      { key: totalKey, revision: total?.revision ?? null },
      { key: versionsKey, revision: versions?.revision ?? null },
    ],
    puts: [
      { key: dayKey, value: Object.fromEntries(sum(parseDay(day?.value), more)) },
      { key: totalKey, value: numberOf(total?.value) + sumOf(more) },
      { key: versionsKey, value: Object.fromEntries(sum(before, more)) },
    ],
  };
}

async function daysBefore(state: StateStore, prefix: string, oldest: string): Promise<readonly string[]> {
  const days = await state.range(prefix, { limit: 1000 });
  return days.flatMap(({ key }) => (key.slice(-dateLength) < oldest ? [key] : []));
}

async function sumOfDays(state: StateStore, prefix: string): Promise<ReadonlyMap<string, number>> {
  return (await state.range(prefix)).map(({ value }) => parseDay(value)).reduce(sum, new Map());
}

export function sum(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const all = new Map(one);
  for (const [version, more] of other) all.set(version, (all.get(version) ?? 0) + more);
  return all;
}

/** Malformed counts are ignored: they are not worth an error. */
export function parseDay(value: JsonValue | undefined): ReadonlyMap<string, number> {
  if (!isJsonObject(value)) return new Map();
  return new Map(
    Object.entries(value).filter(
      (pair): pair is [string, number] => typeof pair[1] === 'number' && Number.isSafeInteger(pair[1]) && pair[1] >= 0,
    ),
  );
}

export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, one) => all + one, 0);
}
