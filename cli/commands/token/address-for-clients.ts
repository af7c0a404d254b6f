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

/** The address of `listen` is a guess: behind a reverse proxy, or with a certificate, it is not that of clients. */
export function addressForClients(config: Config, networkAddresses: readonly string[]): AddressForClients {
  const configured = publicUrlOf(config);
  if (configured !== undefined) return { url: configured.url, remark: undefined };
  const { listen, tlsCert, trustedProxies } = config;
  if (listen.value.port === 0 || tlsCert.value !== undefined || trustedProxies.value.length > 0)
    return {
      url: undefined,
      remark: `HOST stands for the host of the registry, such as packages.example.org. ${advice}`,
    };
  const { url } = clientAddress({ ...listen.value, publicUrl: undefined, networkAddresses });
  const named = listen.origin.from === 'default' ? 'the default of listen' : formatOrigin(listen.origin);
  return { url, remark: `The address ${url} is from ${named}. ${advice}` };
}
