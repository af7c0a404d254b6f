// The status of the person of a personal token, and the port to the packages that a person sees. The authenticator
// remembers the status with the token, for one generation of the state. Every change of the person, or of what decides
// about the packages, therefore takes effect with the next request (I25).

import type { ReadPersonStatus } from '../core/tokens/person.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { hasWayIn, type WaysIn } from './local-sign-in.ts';
import { readUser } from './user-records.ts';
import { personRights, type UserRecord } from './user.ts';

/** Patterns of the names of the packages that a person sees; an empty list: none; null: all. */
export type PersonPackages = (user: UserRecord) => Promise<readonly string[] | null>;

export const allPackages: PersonPackages = () => Promise.resolve(null);

/** What decides about a person, beside their record. */
export interface PersonRules extends WaysIn {
  readonly personPackages?: PersonPackages;
}

export function personStatus(
  store: Pick<StateStore, 'get'>,
  { personPackages = allPackages, ...waysIn }: PersonRules = {},
): ReadPersonStatus {
  return async (id) => {
    const stored = await readUser(store, id);
    if (stored?.record.status !== 'active' || !hasWayIn(waysIn, stored.record)) return undefined;
    const { email, role } = stored.record;
    const person = { id, email, role, ...personRights(stored.record) };
    return { person, packages: await personPackages(stored.record) };
  };
}
