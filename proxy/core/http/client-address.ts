// Finds the address of the client: the peer's address, or the entry that trusted reverse proxies added to
// X-Forwarded-For, counted from the right. Every entry left of the last trusted one may be invented by the client.

import ipaddr from 'ipaddr.js';

/** An address range: the network and its prefix length. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses `10.0.0.0/8`, `::1/128` or a single address; undefined for any other text. */
export function parseAddressRange(text: string): AddressRange | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text) || ipaddr.IPv4.isValid(text) !== ipaddr.IPv4.isValidFourPartDecimal(text)) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/**
 * The nearest address of no trusted proxy. An unreadable entry ends the search, because everything beyond it is
 * untrusted.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly AddressRange[],
): string {
  let client = plainAddress(peer ?? 'unknown');
  if (trusted.length === 0 || forwardedFor === undefined) return client;
  const hops = forwardedFor.split(',');
  while (isInRanges(client, trusted)) {
    const hop = hops.pop()?.trim();
    if (hop === undefined || !ipaddr.isValid(hop)) return client;
    client = ipaddr.process(hop).toString();
  }
  return client;
}

/** The network that attempts are counted for: the owner of one IPv6 address has the 2^64 addresses of its network. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.');
}

/** Node writes an IPv4 client of a dual-stack socket as `::ffff:192.0.2.1`; other programs write 192.0.2.1. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** True if a client of this address is in one of the ranges; an invalid address is in none. */
export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(
    ([network, bits]) => parsed.kind() === network.kind() && parsed.match([network, bits] as [ipaddr.IPv4, number]),
  );
}

const internalRanges: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

/** True for an address of an internal network, or of this machine. */
export function isInternalAddress(text: string): boolean {
  return ipaddr.isValid(text) && internalRanges.has(ipaddr.process(text).range());
}
