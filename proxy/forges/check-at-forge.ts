// Checks credentials and owner of a connection at the forge before they are stored, and says in the words of the caller
// what the forge refused.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import { ForgePause, ForgeRefusal } from './client/forge-failure.ts';
import type { Forge } from './client/forge.ts';
import type { ConnectionRecord } from './model/connection.ts';
import { forgeTitles, type OwnerKind } from './model/forge-name.ts';

/** The kind of the owner. Throws INVALID_INPUT, EGRESS_DENIED and UPSTREAM_UNAVAILABLE. */
export async function checkAtForge(
  forge: Forge,
  { forge: name, owner, credentials_kind: kind }: Pick<ConnectionRecord, 'forge' | 'owner' | 'credentials_kind'>,
): Promise<OwnerKind> {
  try {
    if (kind === 'app') {
      await forge.list('installation', undefined, undefined);
      return 'installation';
    }
    const found = await forge.findOwner();
    if (found !== undefined) return found;
  } catch (error) {
    throw asRegistryError(error);
  }
  const title = forgeTitles[name];
  throw invalidInput({ path: 'owner', message: `${title} has no ${owner}, or the token does not see it` });
}

/** In the words of this registry; another error unchanged. */
export function asRegistryError(error: unknown): unknown {
  if (error instanceof ForgePause)
    return new RegistryError('UPSTREAM_UNAVAILABLE', { message: error.message, cause: error });
  if (!(error instanceof ForgeRefusal)) return error;
  if (error.isDenied) return new RegistryError('EGRESS_DENIED', { message: error.message, cause: error });
  if (error.message.includes('private key')) return invalidInput({ path: 'credentials', message: error.message });
  const path = error.status === 401 || error.status === 403 ? 'credentials' : error.status === 404 ? 'owner' : 'url';
  return invalidInput({ path, message: error.message });
}
