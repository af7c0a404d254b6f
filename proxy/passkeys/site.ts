// Where a browser reached the console, as passkeys see it. A browser uses a passkey only at the host where it was made,
// and signs the origin of the page. Pure.

import { isIP } from 'node:net';
import { RegistryError } from '../../build/contract/errors.ts';

export interface PasskeySite {
  /** `https://registry.example.org` */
  readonly origin: string;
  /** the host without a port, which WebAuthn calls the ID of the relying party */
  readonly rpId: string;
}

/** True if browsers have passkeys at this address. */
export function isPasskeySite(address: string): boolean {
  return isIP(hostOf(address)) === 0;
}

/** `address`: of the console. Throws INVALID_INPUT for an IP address, which has no passkeys. */
export function passkeySite(address: string): PasskeySite {
  const { origin, hostname } = new URL(address);
  if (isPasskeySite(address)) return { origin, rpId: hostname };
  throw new RegistryError('INVALID_INPUT', {
    message: `Browsers have no passkeys for the IP address ${hostname}. Open the console by its host name.`,
  });
}

/** Without the brackets of IPv6. */
function hostOf(address: string): string {
  return new URL(address).hostname.replaceAll(/^\[|\]$/g, '');
}
