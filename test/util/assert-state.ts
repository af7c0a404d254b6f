// Asserts that the program's own check (cli/state/state-families.ts) knows every family of rows in a state and accepts
// every row.

import { stateFamilies } from '../../cli/state/state-families.ts';
import { assertRecords } from '../../cli/state/state-records.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';

/** Rejects where a family is unknown to the check, a record malformed, or the audit log broken. */
export async function assertState(state: Pick<StateStore, 'get' | 'range'>): Promise<void> {
  const families = new Set((await state.range('')).map(({ key }) => key.split('/', 1)[0] ?? ''));
  const unknown = [...families].filter((family) => !stateFamilies.has(family));
  if (unknown.length > 0)
    throw new Error(`cli/state/state-families.ts does not know these rows of the state: ${unknown.join(', ')}`);
  await assertRecords(state);
}
