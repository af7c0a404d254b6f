// The environment in which `libretto doctor` checks the settings of a running server, also those given by flags.

import type { Config } from '../config/config.ts';
import type { Environment } from '../io/environment.ts';

/** Variables, since an address may contain a password and the process list shows arguments. */
export function serverEnvironment(
  { redis, origin, originAuthorization, tlsCert, tlsKey }: Config,
  environment: Environment,
): Environment {
  const authorization = originAuthorization.value ?? origin.value?.authorization;
  const given = {
    LIBRETTO_REDIS: redis.value,
    LIBRETTO_ORIGIN: origin.value?.store?.raw ?? origin.value?.url,
    LIBRETTO_ORIGIN_AUTHORIZATION: authorization?.reveal(),
    LIBRETTO_TLS_CERT: tlsCert.value,
    LIBRETTO_TLS_KEY: tlsKey.value,
  };
  return {
    ...environment,
    ...Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)),
  };
}
