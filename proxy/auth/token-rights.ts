// What a person may give a token, beyond what the policy table says of the operation: never more than their own rights.
// Requests an hour are an admin's to hand out, so a maintainer's tokens get the default of their kind at most, or what
// an admin has given them.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Caller } from './caller.ts';

/**
 * `limit`: the one to be given, in force: 0 is none at all. `most`: what is allowed without being an admin. Throws
 * INSUFFICIENT_SCOPE.
 */
export function assertMayGive(caller: Caller, limit: number, most: readonly number[]): void {
  const isAdmin = caller.kind === 'user' && caller.role === 'admin';
  if (isAdmin || most.some((one) => one === 0 || (limit !== 0 && limit <= one))) return;
  throw new RegistryError('INSUFFICIENT_SCOPE', {
    message: `Only an admin may give a token more than ${Math.max(...most)} requests an hour.`,
  });
}
