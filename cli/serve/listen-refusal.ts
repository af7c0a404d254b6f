// Explains to the operator why the server cannot listen on an address. Pure.

import { formatAddress } from '../text/address.ts';
import { formatOrigin, type Configured } from '../config/config.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import { UsageError } from '../io/usage-error.ts';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already. Stop it, or choose another address',
  EACCES: 'this user may not listen there; ports below 1024 usually need more rights. Choose another',
  EADDRNOTAVAIL: 'this machine does not have that address. Choose an address of this machine',
  ENOTFOUND: 'the host name is not known. Choose an address of this machine',
  EAI_AGAIN: 'the host name cannot be looked up. Choose an address of this machine',
};

/**
 * A UsageError for a fault that the operator can repair, otherwise the error itself. `flag`: the flag that sets another
 * address.
 */
export function listenRefusal(
  error: unknown,
  { value, origin }: Configured<ListenAddress>,
  flag = '--listen',
): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code];
  if (reason === undefined) return error;
  return new UsageError(
    `Cannot listen on ${formatAddress(value.host, value.port)} (${formatOrigin(origin)}): ${reason} with ${flag}.`,
    { cause: error },
  );
}
