// Counts downloads of archives by version and day. A download costs its request one step of a number; every few seconds, and when the service ends, the
// numbers go into the state. They are bookkeeping and nobody's decision: no audit events. A process that is killed loses a few seconds of them.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { Eventually } from '../eventually.ts';
import type { StateStore } from '../state/state-store.ts';

export interface Downloads {
  /** One more. */
  readonly count: (name: string, version: string) => void;
  /** All days that are kept, oldest first, those counted until now included. */
  readonly daysOf: (name: string) => Promise<readonly DownloadDay[]>;
  /** name → downloads since ever */
  readonly totals: () => Promise<ReadonlyMap<string, number>>;
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
  /** epoch milliseconds */
  readonly now: () => number;
  /** of counts that could not be kept: they are tried again */
  readonly onError: (error: unknown) => void;
  /** days; default 400 */
  readonly retention?: (() => Eventually<number>) | undefined;
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
        for (const [name, versions] of rows.slice(from)) for (const [version, more] of versions) restore(pending, name, version, more);
        throw error;
      }
    }
  };
  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write); // whoever asked for the one before was told
    return writing;
  };
  const timer = everyMs === 0 ? undefined : setInterval(() => void flush().catch(onError), everyMs);
  timer?.unref();
  return {
    count,
    flush,
    daysOf: async (name) => {
      await flush();
      const oldest = await oldestDay(options);
      return (await options.state.range(daysPrefix(name))).map(({ key, value }) => ({ date: key.slice(-dateLength), versions: parseDay(value) })).filter(({ date }) => date >= oldest);
    },
    totals: async () => {
      await flush();
      return new Map((await options.state.range(totalPrefix)).map(({ key, value }) => [key.slice(totalPrefix.length), typeof value === 'number' ? value : 0]));
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

function restore(counts: Counts, name: string, version: string, more: number): void {
  const versions = counts.get(name) ?? new Map<string, number>();
  counts.set(name, versions.set(version, (versions.get(version) ?? 0) + more));
}

const dateLength = 'YYYY-MM-DD'.length;
const totalPrefix = 'download-total/';

function daysPrefix(name: string): string {
  return `downloads/${name}/`;
}

function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, dateLength);
}

async function oldestDay({ now, retention }: DownloadsOptions): Promise<string> {
  return dateOf(now() - ((await (retention?.() ?? standardRetention)) - 1) * dayMs);
}

/** To what other processes count as well: again from the start where one of them came first. */
async function add(options: DownloadsOptions, rows: readonly (readonly [string, ReadonlyMap<string, number>])[]): Promise<void> {
  const { state, now } = options;
  const date = dateOf(now());
  const oldest = await oldestDay(options);
  for (;;) {
    const looked = await Promise.all(rows.map(async ([name, more]) => ({ name, more, day: await state.get(daysPrefix(name) + date), total: await state.get(totalPrefix + name) })));
    // with the first download of a day go the days that are over
    const old = await Promise.all(looked.map(({ name, day }) => (day === undefined ? daysBefore(state, name, oldest) : [])));
    const done = await state.commit({
      conditions: looked.flatMap(({ name, day, total }) => [{ key: daysPrefix(name) + date, revision: day?.revision ?? null }, { key: totalPrefix + name, revision: total?.revision ?? null }]),
      puts: looked.flatMap(({ name, more, day, total }) => [
        { key: daysPrefix(name) + date, value: Object.fromEntries(sum(parseDay(day?.value), more)) },
        { key: totalPrefix + name, value: (typeof total?.value === 'number' ? total.value : 0) + [...more.values()].reduce((all, one) => all + one, 0) },
      ]),
      deletes: old.flat(),
    });
    if (done) return;
  }
}

async function daysBefore(state: StateStore, name: string, oldest: string): Promise<readonly string[]> {
  const days = await state.range(daysPrefix(name), { limit: 1000 });
  return days.flatMap(({ key }) => (key.slice(-dateLength) < oldest ? [key] : []));
}

function sum(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const all = new Map(one);
  for (const [version, more] of other) all.set(version, (all.get(version) ?? 0) + more);
  return all;
}

/** What is malformed counts for nothing: it is not worth an error. */
function parseDay(value: JsonValue | undefined): ReadonlyMap<string, number> {
  if (!isJsonObject(value)) return new Map();
  return new Map(Object.entries(value).filter((pair): pair is [string, number] => typeof pair[1] === 'number' && Number.isSafeInteger(pair[1]) && pair[1] >= 0));
}
