// The addresses that a server gives: to the commands of its data folder, through its lock, and to a person's browser.
// Pure.

import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import { listenedAddress, formatAddress, type CertificateNames, localUrl } from '../text/address.ts';
import type { ListenAddress } from '../config/setting-values.ts';

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

interface ConsoleServer {
  readonly main: ListenAddress;
  /** the console's own address; undefined: it is part of the server */
  readonly own: ListenAddress | undefined;
  readonly certificate: CertificateNames | undefined;
  /** the configured address of the registry for its clients */
  readonly publicUrl: string | undefined;
  /** true: people may sign in over plain HTTP from other machines */
  readonly allowsPlainHttp: boolean;
}

/**
 * Ends with a slash. It is the configured address of the registry where people can sign in there, else the address on
 * this machine.
 */
export function consoleUrl({ main, own, certificate, publicUrl, allowsPlainHttp }: ConsoleServer): string {
  const isPublic = own === undefined && publicUrl !== undefined && (allowsPlainHttp || publicUrl.startsWith('https:'));
  const { host, port } = own ?? main;
  return `${isPublic ? publicUrl : localUrl(host, port, certificate)}/ui/`;
}
