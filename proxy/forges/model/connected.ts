// The repositories of a connection as they are now: the rows of its refreshes, and what people removed here since.

import type { StateStore } from '../../core/state/state-store.ts';
import { repositoryKey, repositoryKeyPrefix } from '../../sync/repository.ts';
import { parseSeen, seenPrefix, type ListedRepository, type SkipReason } from './forge-repository.ts';
import type { ConnectionCounts } from './progress.ts';

type Ordered = Pick<ListedRepository, 'state' | 'reason' | 'path'>;
type Reading = Pick<StateStore, 'get' | 'range'>;

export async function readConnected(state: Reading, id: string): Promise<readonly ListedRepository[]> {
  const [rows, records] = await Promise.all([state.range(seenPrefix(id)), state.range(repositoryKeyPrefix)]);
  const registered = new Set(records.map(({ key }) => key));
  return inOrder(rows.map(({ value }) => asRegistered(parseSeen(value), (key) => registered.has(key))));
}

/** Those that need a look first, then the registered ones, then the others; by name. */
export function inOrder<Row extends Ordered>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** A row of a repository that a person removed from this registry says so, before the next refresh does. */
export async function asItIsNow(state: Reading, row: ListedRepository): Promise<ListedRepository> {
  const entry = row.repository === null ? undefined : await state.get(repositoryKey(row.repository));
  return asRegistered(row, () => entry !== undefined);
}

function asRegistered(row: ListedRepository, isRegistered: (key: string) => boolean): ListedRepository {
  if (row.state === 'skipped' || row.repository === null || isRegistered(repositoryKey(row.repository))) return row;
  return { ...row, state: 'skipped', reason: 'unregistered' };
}

export function countConnected(rows: readonly ListedRepository[]): ConnectionCounts {
  const counts = { registered: 0, archived: 0, removed: 0, skipped: 0 };
  for (const { state } of rows) counts[state] += 1;
  return counts;
}

/** Reasons that a person can mend, or did not expect. */
const unexpected: ReadonlySet<SkipReason | null> = new Set<SkipReason>([
  'unreadable',
  'forbidden',
  'refused',
  'taken',
  'invalid_composer_json',
]);

function orderOf({ state, reason, path }: Ordered): string {
  const rank = {
    removed: 0,
    archived: 1,
    registered: 3,
    skipped: unexpected.has(reason) ? 2 : reason === 'filtered' ? 5 : 4,
  };
  return `${rank[state]} ${path}`;
}
