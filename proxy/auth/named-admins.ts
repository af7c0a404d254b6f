// Where passwords are left to named admins, one of them must stay able to sign in: it is the only way in on the day on
// which the identity provider fails.

import { RegistryError } from '../../build/contract/errors.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { maySignInHere, type LocalSignInRule } from './local-sign-in.ts';
import { readUserByEmail, type UserEditExtras } from './user-records.ts';
import { userKey, type UserRecord } from './user.ts';

/**
 * The conditions of a change of `before` to `after` (undefined: removed): that another named admin stays as they are.
 * Throws RegistryError LAST_ADMIN if there is no other one.
 */
export async function keepNamedAdmin(
  store: Pick<StateStore, 'get'>,
  rule: LocalSignInRule,
  before: UserRecord,
  after: UserRecord | undefined,
): Promise<NonNullable<UserEditExtras['conditions']>> {
  if (rule === undefined || !maySignInHere(rule, before)) return [];
  if (after !== undefined && maySignInHere(rule, after)) return [];
  for (const email of rule.only) {
    const other = await readUserByEmail(store, email);
    if (other !== undefined && other.record.id !== before.id && maySignInHere(rule, other.record))
      return [{ key: userKey(other.record.id), revision: other.revision }];
  }
  throw new RegistryError('LAST_ADMIN', {
    message:
      `${before.email} is the last admin of the setting localSignIn who can sign in with a password and a second factor. ` +
      'Let another named admin turn on two-factor authentication first. `libretto user` on the host of the registry ' +
      'changes this account all the same.',
  });
}
