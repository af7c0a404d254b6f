// The composition root for parts with state: from the configuration to the services of the commands. Only this file
// chooses the implementation behind a port.

import { createTokens, type Tokens } from '../../proxy/auth/tokens.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/state/memory-store.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';

/**
 * As openState, but a state that does not exist is an empty one and stays so: a mistyped --data must not make folders.
 */
export async function openExistingState(config: Config): Promise<StateStore> {
  return (await openStateIfAny(config)) ?? createMemoryStore();
}

/** The tokens, with the person at this command line as the one who acts. */
export function composeTokens(store: StateStore, { now, randomBytes, actor }: Context): Tokens {
  const nowMs = (): number => now().getTime();
  return createTokens({ store: createAuditedStore({ store, now: nowMs }), now: nowMs, randomBytes, actor });
}
