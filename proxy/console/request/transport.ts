// How safely a request travelled. A browser may sign in over HTTPS, and over plain HTTP only on this machine. Pure.

import { isInRanges, parseAddressRange, type AddressRange } from '../../core/http/client-address.ts';

/** `plain`: unencrypted, from another machine. */
export type Transport = 'https' | 'loopback' | 'plain';

export interface TransportRules {
  /** the configured address of the registry for its clients; undefined: none */
  readonly publicUrl: string | undefined;
  /** their X-Forwarded-Proto is believed */
  readonly trustedProxies: readonly AddressRange[];
}

export interface ConnectionInfo {
  /** true: this server itself ended TLS */
  readonly encrypted: boolean;
  /** the address of the connection's other end */
  readonly peer: string | undefined;
  /** the headers as received; undefined: none */
  readonly host: string | undefined;
  readonly forwardedProto: string | undefined;
  readonly forwardedFor: string | undefined;
}

const loopback: readonly AddressRange[] = ['127.0.0.0/8', '::1'].flatMap((text) => {
  const range = parseAddressRange(text);
  return range === undefined ? [] : [range];
});
const loopbackHost = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

export function transportOf(arrival: ConnectionInfo, { publicUrl, trustedProxies }: TransportRules): Transport {
  const { encrypted, peer = '', host = '', forwardedProto, forwardedFor } = arrival;
  if (encrypted) return 'https';
  if (forwardedProto !== undefined && isInRanges(peer, trustedProxies))
    return forwardedProto.split(',')[0]?.trim().toLowerCase() === 'https' ? 'https' : 'plain';
  if (publicUrl !== undefined && isHostOf(publicUrl, host) && publicUrl.startsWith('https:')) return 'https';
  // a reverse proxy on this machine carries requests of others
  const isDirect = forwardedFor === undefined && forwardedProto === undefined;
  return isDirect && isInRanges(peer, loopback) && loopbackHost.test(host) ? 'loopback' : 'plain';
}

/** True if the Host header names the host of the address; the port of a Host header may be left out. */
export function isHostOf(address: string, host: string): boolean {
  const url = new URL(address);
  return host.toLowerCase() === url.host || host.toLowerCase() === url.hostname;
}
