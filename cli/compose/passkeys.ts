// The composition root for passkeys, shared by the management API and the console.

import { createPasswords } from '../../proxy/auth/password.ts';
import type { People } from '../../proxy/auth/people.ts';
import { createPasskeys, type Passkeys } from '../../proxy/passkeys/passkeys.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Context } from '../io/context.ts';
import type { ComposedKeys } from './keys.ts';

export function composePasskeys(
  { now, randomBytes }: Context,
  state: StateStore,
  composed: ComposedKeys,
  people: People,
): Passkeys {
  return createPasskeys({
    state,
    ...composed,
    people,
    passwords: createPasswords({ randomBytes }),
    now: () => now().getTime(),
    randomBytes,
  });
}
