// The port to the packages that a person sees, and the standing of a person whose token is in use. The authenticator
// remembers the standing with the token, for one generation of the state. Every change of the person, or of what decides
// about the packages, therefore takes effect with the next request (I25).

import type { StateStore } from '../state/state-store.ts';
import { hasWayIn, type WaysIn } from './local-sign-in.ts';
import type { PersonRight, Role } from './policy.ts';
import { readUser } from './user-records.ts';
import { personRights, type UserId, type UserRecord } from './user.ts';

/** Patterns of the names of the packages that a person sees; an empty list: none; null: all. */
export type PersonPackages = (user: UserRecord) => Promise<readonly string[] | null>;

export const allPackages: PersonPackages = () => Promise.resolve(null);

/** The person of a token, as the state has them now. */
export interface TokenPerson {
  readonly id: UserId;
  readonly email: string;
  readonly role: Role;
  readonly rights?: readonly PersonRight[];
}

export interface PersonStanding {
  readonly person: TokenPerson;
  readonly packages: readonly string[] | null;
}

/** What decides about a person, beside their record. */
export interface StandingRules extends WaysIn {
  readonly personPackages: PersonPackages;
}

/** undefined: the person is removed or disabled, or has no way left to sign in. */
export async function readStanding(
  store: Pick<StateStore, 'get'>,
  id: UserId,
  rules: StandingRules,
): Promise<PersonStanding | undefined> {
  const stored = await readUser(store, id);
  if (stored?.record.status !== 'active' || !hasWayIn(rules, stored.record)) return undefined;
  const { email, role } = stored.record;
  const person = { id, email, role, ...personRights(stored.record) };
  return { person, packages: await rules.personPackages(stored.record) };
}
