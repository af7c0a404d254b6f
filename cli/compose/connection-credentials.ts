// The credentials of connections, for git. The modules of the forges are loaded at the first repository of a
// connection.

import type { Sealer } from '../../proxy/keys/sealer.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { RepositoryCredentials } from '../../proxy/sync/credentials.ts';
import type { ConnectionId } from '../../proxy/sync/forge-place.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

/** `state`: open while the result is called. */
export function composeConnectionCredentials(
  config: Config,
  context: Context,
  parts: { readonly state: Pick<StateStore, 'get' | 'commit'>; readonly sealer: Sealer },
): (id: ConnectionId) => Promise<RepositoryCredentials | undefined> {
  let credentials: ((id: ConnectionId) => Promise<RepositoryCredentials | undefined>) | undefined;
  return async (id) => {
    const { composeConnectionAccess } = await import('./connection-access.ts');
    credentials ??= composeConnectionAccess(config, context, parts).gitCredentials;
    return credentials(id);
  };
}
