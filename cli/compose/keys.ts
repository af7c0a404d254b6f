// The composition root for keys: separate from that of users, because a build opens sealed credentials and needs no
// users.

import { join } from 'node:path';

import { createKeyRing, type KeyRing } from '../../proxy/keys/key-ring.ts';
import { createSealer, type Sealer } from '../../proxy/keys/sealer.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

export interface ComposedKeys {
  readonly keys: KeyRing;
  readonly sealer: Sealer;
}

/** The key folder is next to the state, never inside it. */
export function composeKeys(config: Config, { now, randomBytes }: Context): ComposedKeys {
  const keys = createKeyRing({ folder: join(config.data.value, 'keys'), now: () => now().getTime(), randomBytes });
  return { keys, sealer: createSealer(keys, randomBytes) };
}
