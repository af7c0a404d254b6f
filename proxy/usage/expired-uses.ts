// Since when uses are counted by token, and what one of the servers removes once a day: versions that nobody used for a
// long time, and the counts of days that are only in the sums from then on.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';
import {
  keptVersions,
  lastUseOf,
  parseProject,
  parseUsageRow,
  parseUsedKey,
  projectKey,
  putCounts,
  rowsIn,
  usageRows,
  usedByKey,
  usedRowsKey,
  withRow,
  type UsageRow,
  type VersionSums,
} from './usage-row.ts';

const countingKey = 'usage/counting';

export interface Counting {
  /** the day since when uses are counted by token; null: the setting is off */
  readonly since: string | null;
  /** the day of the last removal */
  readonly removed: string;
}

export async function readCounting(state: Pick<StateStore, 'get'>): Promise<Counting | undefined> {
  return parseCounting((await state.get(countingKey))?.value);
}

/** undefined for a malformed row. */
export function parseCounting(value: JsonValue | undefined): Counting | undefined {
  if (!isJsonObject(value) || typeof value['removed'] !== 'string') return undefined;
  const { since = null, removed } = value;
  return since === null || typeof since === 'string' ? { since, removed } : undefined;
}

/** Notes whether uses are counted, unless there are none. True: the caller removes what expired, and no other server does so today. */
export async function noteCounting(state: StateStore, isOn: boolean, today: string): Promise<boolean> {
  const entry = await state.get(countingKey);
  const before = parseCounting(entry?.value);
  if (before === undefined && !isOn && (await state.range(projectKey(''), { limit: 1 })).length === 0) return false;
  const now: Counting = { since: isOn ? (before?.since ?? today) : null, removed: today };
  const isDue = before !== undefined && before.removed !== today;
  if (before?.since === now.since && !isDue) return false;
  const done = await state.commit({
    conditions: [{ key: countingKey, revision: entry?.revision ?? null }],
    puts: [{ key: countingKey, value: { ...now } }],
    deletes: [],
    quiet: true,
  });
  return done ? isDue : noteCounting(state, isOn, today);
}

/** Forgets uses and projects before the day `oldest`, and days before the last 90. Requests get their turn in between. */
export async function removeExpired(state: StateStore, oldest: string, today: string): Promise<void> {
  for await (const rows of usageRows(state, 'used/')) {
    const expired = rows.filter(({ row }) => lastUseOf(row) < oldest).map(({ entry }) => entry);
    for (const { entry, row } of rows) await fold(state, entry, row, keptVersions(row, oldest, today));
    const nameOf = ({ key }: StateEntry): string => parseUsedKey(key).name;
    for (const name of new Set(expired.map(nameOf)))
      await removeRows(
        state,
        name,
        expired.filter((entry) => nameOf(entry) === name),
        0,
      );
  }
  for (const { key, revision, value } of await state.range(projectKey('')))
    if ((parseProject(value)?.reported ?? today) < oldest)
      await state.commit({ conditions: [{ key, revision }], puts: [], deletes: [key], quiet: true });
}

/** A row that has changed meanwhile is left to the next day. */
async function fold(
  state: StateStore,
  { key, revision }: StateEntry,
  row: UsageRow | undefined,
  versions: UsageRow['versions'],
): Promise<void> {
  if (row === undefined || versions === row.versions || Object.keys(versions).length === 0) return;
  const left = { ...row, versions };
  const { name, who } = parseUsedKey(key);
  const counted = await state.get(usedRowsKey(name));
  const { versions: sums, ...counts } = rowsIn(counted);
  const summed = sums && withRow(sums, who, row, left);
  const isSame = summed === sums;
  await state.commit({
    conditions: [
      { key, revision },
      ...(isSame ? [] : [{ key: usedRowsKey(name), revision: counted?.revision ?? null }]),
    ],
    puts: [{ key, value: left }, ...(isSame ? [] : [putCounts(name, { ...counts, versions: summed })])],
    deletes: [],
    quiet: true,
  });
}

/** Removes rows of a package, unless one has changed: then the next turn does. `cut`: how many of them are missed. */
export async function removeRows(
  state: StateStore,
  name: string,
  rows: readonly StateEntry[],
  cut: number,
  guards: StateChange['conditions'] = [],
): Promise<void> {
  const counted = await state.get(usedRowsKey(name));
  const before = rowsIn(counted);
  const left = before.rows - rows.length;
  const isEmpty = left <= 0;
  const without = (sums: VersionSums, { key, value }: StateEntry): VersionSums =>
    withRow(sums, parseUsedKey(key).who, parseUsageRow(value), undefined);
  // the rows that are cut come without their values
  const versions = cut > 0 ? undefined : before.versions && rows.reduce(without, before.versions);
  await state.commit({
    conditions: [
      { key: usedRowsKey(name), revision: counted?.revision ?? null },
      ...guards,
      ...rows.map(({ key, revision }) => ({ key, revision })),
    ],
    puts: isEmpty ? [] : [putCounts(name, { rows: left, cut: before.cut + cut, versions })],
    deletes: [
      ...rows.flatMap(({ key }) => [key, usedByKey(parseUsedKey(key).who, name)]),
      ...(isEmpty ? [usedRowsKey(name)] : []),
    ],
    quiet: true,
  });
}
