// Requests the packages.json of a registered Composer repository, with its credentials and through the guard.

import { RegistryError } from '../../build/contract/errors.ts';
import { isDenied } from '../../build/egress/egress-failure.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import { UpstreamUnavailable } from '../../proxy/mirror/upstream/mirror-failure.ts';
import { probeUpstream, type UpstreamProbe } from '../../proxy/mirror/upstream/probe-upstream.ts';
import { UpstreamClient } from '../../proxy/mirror/upstream/upstream-client.ts';
import { unsealCredentials, type RepositoryCredentials } from '../../proxy/sync/credentials.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';
import type { Config } from '../config/config.ts';
import { version } from '../io/version.ts';
import { upstreamCredential } from './composer-repositories.ts';

/** The content of the repository, or the error of the request: EGRESS_DENIED or BUILD_FAILED. */
export async function probeRegistered(
  { id, url, credentials }: RepositoryRecord,
  config: Config,
  sealer: Sealer,
  now: () => number,
): Promise<UpstreamProbe | RegistryError> {
  const opened = credentials === null ? undefined : unsealed(sealer, credentials, id);
  if (opened instanceof RegistryError) return opened;
  const client = new UpstreamClient({
    allowAddresses: config.egressAllow.value,
    userAgent: `Libretto/${version}`,
    now,
  });
  try {
    const probe = await probeUpstream(url, opened === undefined ? undefined : upstreamCredential(opened), client);
    return typeof probe === 'string' ? new RegistryError('BUILD_FAILED', { message: probe }) : probe;
  } catch (error) {
    if (!(error instanceof UpstreamUnavailable)) throw error;
    return new RegistryError(isDenied(error) ? 'EGRESS_DENIED' : 'BUILD_FAILED', { message: error.message });
  } finally {
    await client.close();
  }
}

function unsealed(sealer: Sealer, sealed: string, id: string): RepositoryCredentials | RegistryError {
  try {
    return unsealCredentials(sealer, sealed, id);
  } catch (error) {
    return new RegistryError('BUILD_FAILED', {
      message:
        `Its credentials cannot be opened: ${error instanceof Error ? error.message : String(error)}. Give them ` +
        'again.',
    });
  }
}
