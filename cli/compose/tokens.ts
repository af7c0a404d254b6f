// The composition root for parts with state: from the configuration to the services of the commands. Only this file
// chooses the implementation behind a port.

import { createAuthenticator, type Authenticator } from '../../proxy/core/tokens/authenticate.ts';
import { personStatus } from '../../proxy/auth/person-status.ts';
import type { ReadPersonStatus } from '../../proxy/core/tokens/person.ts';
import { createTokens, type Tokens } from '../../proxy/auth/tokens.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import { personPackages } from '../../proxy/teams/person-packages.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { classifyFolder } from '../data-folder/data-folder-traces.ts';
import { localSignInRule } from './local-sign-in.ts';
import { standardTokenLimits } from './settings.ts';
import { UsageError } from '../io/usage-error.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { placeOf } from '../state/state-place.ts';

/**
 * As openState, but returns an empty state if the registry has none yet, and creates nothing: a mistyped --data must
 * not create folders. Throws UsageError for a Redis without a state where no data folder is either.
 */
export async function openExistingState(config: Config): Promise<StateStore> {
  const state = await openStateIfAny(config);
  if (state !== undefined) return state;
  const { name, kind } = placeOf(config);
  if (kind !== 'folder' && classifyFolder(config.data.value) !== 'registry')
    throw new UsageError(
      `There is no state in ${name}. Check the address, and the number of the database behind it. The state of a ` +
        'registry begins with its first user, token or setting.',
    );
  return createMemoryStore();
}

export function composeAuthenticator(config: Config, store: StateStore, settings: Settings): Authenticator {
  return createAuthenticator(store, {
    defaultLimits: standardTokenLimits(settings),
    personStatus: composePersonStatus(config, store),
  });
}

/** Personal tokens see what their person sees, and are suspended while the person could not sign in. */
export function composePersonStatus(config: Config, store: StateStore): ReadPersonStatus {
  return personStatus(store, {
    personPackages: (person) => personPackages(store, person),
    localSignIn: localSignInRule(config),
    issuers: config.identityProviders.value.map(({ issuer }) => issuer),
  });
}

/** The tokens service of a command. */
export function composeTokens(
  store: StateStore,
  { now, randomBytes, actor }: Pick<Context, 'now' | 'randomBytes'> & { readonly actor: Actor },
): Tokens {
  const nowMs = (): number => now().getTime();
  return createTokens({ store: createAuditedStore({ store, now: nowMs }), now: nowMs, randomBytes, actor });
}
