// The composition root for people and keys: what the management API and the user and keys commands share.

import { join } from 'node:path';

import { createPasswords } from '../proxy/auth/password.ts';
import { createPeople, type People } from '../proxy/auth/people.ts';
import { standardRules, type PeopleRules } from '../proxy/auth/people-rules.ts';
import { createKeyRing, type KeyRing } from '../proxy/keys/key-ring.ts';
import { createSealer, type Sealer } from '../proxy/keys/sealer.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';

export interface ComposedKeys {
  readonly keys: KeyRing;
  readonly sealer: Sealer;
}

/** Beside the state, never in it. */
export function composeKeys(config: Config, { now, randomBytes }: Context): ComposedKeys {
  const keys = createKeyRing({ folder: join(config.data.value, 'keys'), now: () => now().getTime(), randomBytes });
  return { keys, sealer: createSealer(keys, randomBytes) };
}

export function composePeople({ now, randomBytes }: Context, state: StateStore, composed: ComposedKeys, rules: () => PeopleRules = () => standardRules): People {
  return createPeople({ state, ...composed, passwords: createPasswords({ randomBytes }), now: () => now().getTime(), randomBytes, rules });
}
