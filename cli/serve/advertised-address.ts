// The address that a server tells to the commands of its data folder, through its lock.

import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import { listenedAddress, formatAddress, type CertificateNames } from '../text/address.ts';

/**
 * The configured address, otherwise the one of `listen` for clients. Its host is HOST if the certificate names no
 * single host. undefined: a reverse proxy or the system decides about the address.
 */
export function advertisedAddress(
  config: Pick<Config, 'publicUrl' | 'distUrl' | 'listen' | 'trustedProxies'>,
  certificate: CertificateNames | undefined,
  networkAddresses: readonly string[],
): string | undefined {
  const configured = publicUrlOf(config);
  if (configured !== undefined) return configured.url;
  const { host, port } = config.listen.value;
  if (port === 0 || config.trustedProxies.value.length > 0) return undefined;
  const { url } = listenedAddress({ host, port, certificate, publicUrl: undefined, networkAddresses });
  const isNamed = certificate?.names.some((name) => url === `https://${formatAddress(name, port)}`) ?? true;
  return isNamed ? url : `https://HOST:${port}`;
}
