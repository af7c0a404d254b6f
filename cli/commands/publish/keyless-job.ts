// The registry of `libretto publish --oidc`. A stored token would defeat its purpose, so that none is used.

import { registryOfJob } from '../../ci/exchange.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';
import type { RemoteRegistry } from '../../remote/remote.ts';
import { UsageError } from '../../io/usage-error.ts';

/** Throws UsageError. */
export function registryOfKeylessJob(flags: Given['flags'], context: Context): RemoteRegistry {
  if (flags['token'] !== undefined) throw new UsageError('Use --oidc or --token, not both: --oidc needs no token.');
  if (flags['data'] !== undefined)
    throw new UsageError('--oidc publishes to a remote registry. Name its address with --url, and leave out --data.');
  const registry = registryOfJob(flags, context, '--oidc');
  if ((context.environment['LIBRETTO_TOKEN'] ?? '') !== '')
    printWarnings(context.stderr, [
      'LIBRETTO_TOKEN is set, and --oidc does not use it. Remove the secret from the CI system, and revoke its token.',
    ]);
  return registry;
}
