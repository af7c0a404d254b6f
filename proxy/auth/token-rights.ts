// Limits the rights that a person may give to a token, beyond the policy table: never more than the person's own
// rights. Only an admin assigns an hourly limit. A maintainer's token gets at most the default of its kind, or the
// limit that an admin has set.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Caller } from './caller.ts';

/**
 * `limit`: the limit in effect, 0 for none. `most`: the highest limit that needs no admin. Throws INSUFFICIENT_SCOPE.
 */
export function assertMayGive(caller: Caller, limit: number, most: readonly number[]): void {
  const isAdmin = caller.kind === 'user' && caller.role === 'admin';
  if (isAdmin || most.some((one) => one === 0 || (limit !== 0 && limit <= one))) return;
  throw new RegistryError('INSUFFICIENT_SCOPE', {
    message: `Only an admin may give a token more than ${Math.max(...most)} requests an hour.`,
  });
}
