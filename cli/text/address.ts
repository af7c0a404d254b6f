// Addresses as people and URLs write them. Pure.

import { isIPv6 } from 'node:net';

/** `127.0.0.1:8080`, `[::1]:8080` */
export function formatAddress(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * The address of a server for a client on this machine: a server that listens on every address is reached by loopback.
 * With a certificate: by a name in the certificate.
 */
export function localUrl(host: string, port: number, certificate?: { readonly names: readonly string[] }): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  if (certificate === undefined) return `http://${formatAddress(reachable, port)}`;
  const named = certificate.names.includes(reachable)
    ? reachable
    : certificate.names.find((name) => !name.includes('*'));
  return `https://${formatAddress(named ?? reachable, port)}`;
}
