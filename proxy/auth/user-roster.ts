// The row with the number of users and the active admins. The creation of the first user and the removal of an admin
// are conditional on this row. Two such changes at the same time therefore cannot both succeed.

import { z } from 'zod';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import type { UserRecord } from './user.ts';

export const rosterKey = 'user-roster';
/** `admins`: the ids of the active admins */
const rosterRecord = z.strictObject({ users: z.number().int().min(0), admins: z.array(z.string()) });
export type Roster = RowOf<typeof rosterRecord>;

export async function readRoster(
  store: Pick<StateStore, 'get'>,
): Promise<{ readonly roster: Roster; readonly revision: number | null }> {
  const entry = await store.get(rosterKey);
  return entry === undefined
    ? { roster: { users: 0, admins: [] }, revision: null }
    : { roster: parseRoster(entry.value), revision: entry.revision };
}

/** The row as stored. Throws StateError when it is malformed. */
export const parseRoster = rowParser(rosterRecord, 'The count of users and admins');

/** The roster after a user became another (undefined: is not there). */
export function rosterAfter(
  { users, admins }: Roster,
  before: UserRecord | undefined,
  after: UserRecord | undefined,
): Roster {
  const others = admins.filter((id) => id !== (before ?? after)?.id);
  return {
    users: users + (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1),
    admins: after !== undefined && isActiveAdmin(after) ? [...others, after.id] : others,
  };
}

export function isActiveAdmin({ role, status }: UserRecord): boolean {
  return role === 'admin' && status === 'active';
}

/** Adds to `change` the condition that the roster is unchanged since its read. */
export function withRoster(change: StateChange, roster: Roster, revision: number | null): StateChange {
  return {
    conditions: [...change.conditions, { key: rosterKey, revision }],
    puts: [...change.puts, { key: rosterKey, value: { users: roster.users, admins: [...roster.admins] } }],
    deletes: change.deletes,
  };
}
