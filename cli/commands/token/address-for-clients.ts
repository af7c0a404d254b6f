// The address under which clients find this registry, as far as a running server or the configuration tells it.

import { formatOrigin, type Config } from '../../config/config.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { listenedAddress } from '../../text/address.ts';

export interface AddressForClients {
  /** `packages.example.org`, `127.0.0.1:8080`. HOST stands for an unknown name. */
  readonly host: string;
  readonly url: string;
  /** a sentence for people about an address that is a guess or unknown */
  readonly remark: string | undefined;
}

const advice = 'Set "publicUrl" in libretto.json, or LIBRETTO_PUBLIC_URL, to the address that clients use.';

/**
 * `server`: the running servers of this data folder, whose flags may differ from the configuration of the command. The
 * address of `listen` is a guess: a reverse proxy or a container may give clients another one.
 */
export function addressForClients(
  config: Config,
  networkAddresses: readonly string[],
  server: { readonly address: string | undefined } | undefined,
): AddressForClients {
  const configured = publicUrlOf(config);
  if (configured !== undefined) return { ...hostAndUrl(configured.url), remark: undefined };
  const url = (server === undefined ? addressOfListen(config, networkAddresses) : server.address) ?? 'https://HOST';
  if (/^https:\/\/HOST(?::\d+)?$/.test(url)) {
    const remark = `HOST stands for the host of the registry, such as packages.example.org. ${advice}`;
    return { host: new URL(url).host.toUpperCase(), url, remark };
  }
  // an address that somebody configured for the server has no port, as a rule
  if (!/:\d+$/.test(url)) return { ...hostAndUrl(url), remark: undefined };
  return { ...hostAndUrl(url), remark: `The address ${url} is from ${originOf(config, server)}. ${advice}` };
}

function hostAndUrl(url: string): Pick<AddressForClients, 'host' | 'url'> {
  return { host: new URL(url).host, url };
}

/**
 * undefined: a reverse proxy or the system decides, or a server on another host with the same state. The names of a
 * certificate are not read.
 */
function addressOfListen(
  { listen, tlsCert, trustedProxies, state }: Config,
  networkAddresses: readonly string[],
): string | undefined {
  if (state.value !== undefined && listen.origin.from === 'default') return undefined;
  if (listen.value.port === 0 || trustedProxies.value.length > 0) return undefined;
  if (tlsCert.value !== undefined) return `https://HOST:${listen.value.port}`;
  return listenedAddress({ ...listen.value, publicUrl: undefined, networkAddresses }).url;
}

function originOf({ listen }: Config, server: object | undefined): string {
  if (server !== undefined) return 'the running server';
  return listen.origin.from === 'default' ? 'the default of listen' : formatOrigin(listen.origin);
}
