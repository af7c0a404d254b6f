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
 * As openState, but returns an empty state if there is none, and creates nothing: a mistyped --data must not create
 * folders.
 */
export async function openExistingState(config: Config): Promise<StateStore> {
  return (await openStateIfAny(config)) ?? createMemoryStore();
}

/** The tokens service, with the user of this command line as the actor. */
export function composeTokens(store: StateStore, { now, randomBytes, actor }: Context): Tokens {
  const nowMs = (): number => now().getTime();
  return createTokens({ store: createAuditedStore({ store, now: nowMs }), now: nowMs, randomBytes, actor });
}
