// Decides which addresses a process may connect to: public addresses, and those that the operator allows. Every other
// address belongs to an internal network, and a URL from a record must not reach it (SSRF).

import ipaddr from 'ipaddr.js';
import { BuildRefused } from '../contract/refusals.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** True if the process may connect to this address, in the form of the system's resolver. */
export type AddressPolicy = (address: string) => boolean;

/** `allow` holds CIDR ranges or single addresses. Throws BuildRefused for other texts. */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const ranges = allow.map(parseRange);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text); // ::ffff:127.0.0.1 is 127.0.0.1
    return (
      isPublic(address) ||
      ranges.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits))
    );
  };
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * IPv6 beyond 2000::/3 is unassigned; within 2000::/3 ipaddr.js knows the special ranges (6to4 and Teredo contain IPv4
 * addresses).
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

function parseRange(text: string): [Address, number] {
  try {
    const [network, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined];
    return [network, bits ?? (network.kind() === 'ipv4' ? 32 : 128)];
  } catch (cause) {
    throw new BuildRefused(
      `egress.allow: ${JSON.stringify(text)} is not an address range. Write one such as "10.1.0.0/16" or "fd00::/8".`,
      { cause },
    );
  }
}
