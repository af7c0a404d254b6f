// The composition root for keys: apart from people's, since a build opens sealed credentials and needs nothing of them.

import { join } from 'node:path';

import { createKeyRing, type KeyRing } from '../../proxy/keys/key-ring.ts';
import { createSealer, type Sealer } from '../../proxy/keys/sealer.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

export interface ComposedKeys {
  readonly keys: KeyRing;
  readonly sealer: Sealer;
}

/** Beside the state, never in it. */
export function composeKeys(config: Config, { now, randomBytes }: Context): ComposedKeys {
  const keys = createKeyRing({ folder: join(config.data.value, 'keys'), now: () => now().getTime(), randomBytes });
  return { keys, sealer: createSealer(keys, randomBytes) };
}
