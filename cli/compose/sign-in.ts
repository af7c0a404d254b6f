// The composition roots of sign-in without a password: identity providers and passkeys.

import { createAttempts } from '../../proxy/auth/attempts.ts';
import type { People } from '../../proxy/auth/people.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import { createIssuerKeys } from '../../proxy/oidc/issuer-keys.ts';
import { createSingleSignOn, type SingleSignOn } from '../../proxy/sso/single-sign-on.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { readClientSecret } from './client-secret.ts';
import { composeIssuerRequests } from './issuer-requests.ts';
import { createPasswords } from '../../proxy/auth/password.ts';
import { createPasskeys, type Passkeys } from '../../proxy/passkeys/passkeys.ts';
import type { ComposedKeys } from './keys.ts';

export interface SingleSignOnServices {
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly people: Pick<People, 'sessions' | 'localSignIn'>;
  readonly onError: (error: unknown) => void;
}

export interface ComposedSingleSignOn {
  readonly singleSignOn: SingleSignOn;
  readonly close: () => void;
}

/** undefined: no identity provider is configured. Throws BuildRefused for an invalid range in egress.allow. */
export function composeSingleSignOn(
  { identityProviders: { value: providers }, egressAllow }: Pick<Config, 'identityProviders' | 'egressAllow'>,
  { now: clock, randomBytes, environment }: Pick<Context, 'now' | 'randomBytes' | 'environment'>,
  { state, sealer, people, onError }: SingleSignOnServices,
): ComposedSingleSignOn | undefined {
  if (providers.length === 0) return undefined;
  const now = (): number => clock().getTime();
  const { fetch, fetchIssuer, close } = composeIssuerRequests({ egressAllow });
  return {
    singleSignOn: createSingleSignOn({
      providers,
      keys: createIssuerKeys({ fetchIssuer, now }),
      fetch,
      secretOf: (provider) => readClientSecret(provider, environment),
      state,
      sealer,
      sessions: people.sessions,
      localSignIn: people.localSignIn,
      now,
      randomBytes,
      onError,
      store: createAuditedStore({ store: state, now }),
      attempts: createAttempts({ store: state, now, randomBytes }),
    }),
    close,
  };
}

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
