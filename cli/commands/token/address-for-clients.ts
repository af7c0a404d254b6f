// The address under which clients find this registry, as far as the configuration of a command tells it.

import { formatOrigin, type Config } from '../../config/config.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { clientAddress } from '../../text/address.ts';

export interface AddressForClients {
  /** undefined: unknown */
  readonly url: string | undefined;
  /** a sentence for people about an address that is a guess or unknown */
  readonly remark: string | undefined;
}

const advice = 'Set "publicUrl" in libretto.json, or LIBRETTO_PUBLIC_URL, to the address that clients use.';

/**
 * `server`: the running server of this data folder, whose flags may differ from the configuration of the command. The
 * address of `listen` is a guess: behind a reverse proxy, or with a certificate, it is not that of clients.
 */
export function addressForClients(
  config: Config,
  networkAddresses: readonly string[],
  server: { readonly address: string | undefined } | undefined,
): AddressForClients {
  const configured = publicUrlOf(config);
  if (configured !== undefined) return { url: configured.url, remark: undefined };
  const { listen, tlsCert, trustedProxies } = config;
  const isUnclear = listen.value.port === 0 || tlsCert.value !== undefined || trustedProxies.value.length > 0;
  if (server === undefined ? isUnclear : server.address === undefined)
    return {
      url: undefined,
      remark: `HOST stands for the host of the registry, such as packages.example.org. ${advice}`,
    };
  const place = server?.address === undefined ? listen.value : placeOf(server.address);
  if (place === undefined) return { url: server?.address, remark: undefined };
  const { url } = clientAddress({ ...place, publicUrl: undefined, networkAddresses });
  const named =
    server !== undefined
      ? 'the running server'
      : listen.origin.from === 'default'
        ? 'the default of listen'
        : formatOrigin(listen.origin);
  return { url, remark: `The address ${url} is from ${named}. ${advice}` };
}

/** The host and port of a plain address; undefined: an address that somebody configured. */
function placeOf(address: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, host = bracketed, port] = /^http:\/\/(?:\[([^\]]+)\]|([^:/[\]]+)):(\d+)$/.exec(address) ?? [];
  return host === undefined ? undefined : { host, port: Number(port) };
}
