// The reverse proxies whose headers the server believes.

import { parseAddressRange, type AddressRange } from '../../proxy/core/http/client-address.ts';
import type { Config } from '../config/config.ts';
import { UsageError } from '../io/usage-error.ts';

/** Throws UsageError for a text that is no range. */
export function trustedProxiesOf({ trustedProxies }: Pick<Config, 'trustedProxies'>): readonly AddressRange[] {
  return trustedProxies.value.map((text) => {
    const range = parseAddressRange(text);
    if (range !== undefined) return range;
    throw new UsageError(`trustedProxies names ${JSON.stringify(text)}, which is not an address or a CIDR range.`);
  });
}
