// The composition root of the way to forges: the guard of all egress, the sealed credentials, and the clock.

import { createConnectionAccess, type ConnectionAccess } from '../../proxy/forges/client/connection-access.ts';
import { createForgeHttp } from '../../proxy/forges/client/forge-http.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { version } from '../io/version.ts';

/** Idle connections to forges end by themselves, and keep no process alive. */
export function composeConnectionAccess(
  config: Config,
  context: Pick<Context, 'now'>,
  { state, sealer }: { readonly state: Pick<StateStore, 'get' | 'commit'>; readonly sealer: Sealer },
): ConnectionAccess {
  const now = (): number => context.now().getTime();
  const http = createForgeHttp({ allowAddresses: config.egressAllow.value, userAgent: `Libretto/${version}`, now });
  return createConnectionAccess({ state, sealer, http, now });
}
