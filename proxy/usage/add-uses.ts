// Adds uses to the rows of the state, beside other processes. A package keeps the rows with the newest uses.

import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';
import { removeRows } from './expired-uses.ts';
import {
  countVersions,
  lastUseOf,
  parseUsageRow,
  putCounts,
  rowsIn,
  usageRows,
  usedByKey,
  usedKey,
  usedPrefix,
  usedRowsKey,
  withRow,
  withUses,
  type Keeping,
  type PackageUser,
  type UsageRow,
  type Uses,
} from './usage-row.ts';

/** The uses of one user of one package. */
export interface NewUses {
  readonly name: string;
  /** names the row of the user */
  readonly user: string;
  readonly who: PackageUser;
  readonly versions: ReadonlyMap<string, Uses>;
}

/** Rows that stay as they are: a commit on them fails as soon as another is done. */
export type Guards = StateChange['conditions'];

export async function hold(state: Pick<StateStore, 'get'>, guards: Guards): Promise<boolean> {
  const entries = await Promise.all(guards.map(({ key }) => state.get(key)));
  return guards.every(({ revision }, at) => (entries[at]?.revision ?? null) === revision);
}

/** Starts again after a concurrent change. Resolves with a sentence for each package whose oldest rows were removed. */
export async function addUses(
  state: StateStore,
  uses: readonly NewUses[],
  keeping: Keeping,
  guards: Guards = [],
): Promise<readonly string[]> {
  for (;;) {
    const rows = await Promise.all(
      uses.map(async (one) => {
        const entry = await state.get(keyOf(one));
        const before = parseUsageRow(entry?.value);
        return { ...one, entry, before, after: withUses(before, one.who, one.versions, keeping) };
      }),
    );
    const fresh = rows.filter(({ entry }) => entry === undefined);
    const totals = await countRows(state, rows);
    const done = await state.commit({
      conditions: [
        ...guards,
        ...rows.map((row) => ({ key: keyOf(row), revision: row.entry?.revision ?? null })),
        ...totals.map(({ name, revision }) => ({ key: usedRowsKey(name), revision })),
      ],
      puts: [
        ...rows.map((row) => ({ key: keyOf(row), value: row.after })),
        ...fresh.map(({ user, name }) => ({ key: usedByKey(user, name), value: 1 })),
        ...totals.map((one) => putCounts(one.name, one)),
      ],
      deletes: [],
      quiet: true,
    });
    if (!done && (await hold(state, guards))) continue;
    if (!done) return [];
    const full = totals.filter((one) => one.rows > keeping.mostRows);
    for (const { name, rows: stored } of full)
      await removeOldest(state, name, stored - Math.floor(keeping.mostRows * 0.95));
    return full.map(
      ({ name }) => `${name} has more than ${keeping.mostRows} users: those who used it longest ago are removed`,
    );
  }
}

interface ChangedRow extends NewUses {
  readonly entry: StateEntry | undefined;
  readonly before: UsageRow | undefined;
  readonly after: UsageRow;
}

/** The counts of each package that has others with these rows. Most downloads change none. */
async function countRows(state: StateStore, rows: readonly ChangedRow[]) {
  const counts = await Promise.all(
    [...new Set(rows.map(({ name }) => name))].map(async (name) => {
      const entry = await state.get(usedRowsKey(name));
      const { versions: known, ...former } = rowsIn(entry);
      let versions = known ?? (await countVersions(state, name));
      const own = rows.filter((one) => one.name === name);
      for (const { user, before, after } of own) versions = withRow(versions, user, before, after);
      const more = own.filter(({ entry: stored }) => stored === undefined).length;
      const isSame = versions === known && more === 0;
      return isSame ? [] : [{ name, ...former, rows: former.rows + more, versions, revision: entry?.revision ?? null }];
    }),
  );
  return counts.flat();
}

function keyOf({ name, user }: NewUses): string {
  return usedKey(name, user);
}

/** Some more than needed, so that the next new row removes none. */
async function removeOldest(state: StateStore, name: string, count: number): Promise<void> {
  const found: { readonly entry: StateEntry; readonly last: string }[] = [];
  for await (const rows of usageRows(state, usedPrefix(name)))
    found.push(...rows.map(({ entry, row }) => ({ entry: { ...entry, value: null }, last: lastUseOf(row) })));
  const oldest = found.toSorted((one, other) => (one.last < other.last ? -1 : 1)).slice(0, count);
  await removeRows(
    state,
    name,
    oldest.map(({ entry }) => entry),
    oldest.length,
  );
}
