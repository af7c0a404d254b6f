// Addresses as people and URLs write them. Pure.

import { isIPv4, isIPv6 } from 'node:net';

import { isLoopback } from '../../build/contract/loopback.ts';

/** `127.0.0.1:8080`, `[::1]:8080` */
export function formatAddress(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The names of a server's certificate. */
export interface CertificateNames {
  readonly names: readonly string[];
}

/**
 * The address of a server for a client on this machine: a server that listens on every address is reached by loopback.
 * With a certificate: by a name in the certificate.
 */
export function localUrl(host: string, port: number, certificate?: CertificateNames): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  if (certificate === undefined) return `http://${formatAddress(reachable, port)}`;
  const named = certificate.names.includes(reachable)
    ? reachable
    : certificate.names.find((name) => !name.includes('*'));
  return `https://${formatAddress(named ?? reachable, port)}`;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly certificate?: CertificateNames | undefined;
  /** the configured address */
  readonly publicUrl: string | undefined;
  /** addresses of this machine that others reach, the best first */
  readonly networkAddresses: readonly string[];
}

export interface ClientAddress {
  readonly url: string;
  /** `configured`: the configuration names it; `network`: other machines reach it; `loopback`: only this machine does */
  readonly reach: 'configured' | 'network' | 'loopback';
}

/** The address of a server for its clients, on other machines where the server can be reached from there. */
export function listenedAddress({ host, port, certificate, publicUrl, networkAddresses }: Listening): ClientAddress {
  if (publicUrl !== undefined) return { url: publicUrl, reach: 'configured' };
  const local = localUrl(host, port, certificate);
  if (!isEverywhere(host)) return { url: local, reach: isLoopback(host) ? 'loopback' : 'network' };
  if (certificate === undefined) {
    const [first] = networkAddresses.filter((address) => host === '::' || isIPv4(address));
    return first === undefined
      ? { url: local, reach: 'loopback' }
      : { url: `http://${formatAddress(first, port)}`, reach: 'network' };
  }
  const name =
    networkAddresses.find((address) => certificate.names.includes(address)) ??
    certificate.names.find((candidate) => !candidate.includes('*') && !isLoopback(candidate));
  return name === undefined
    ? { url: local, reach: 'loopback' }
    : { url: `https://${formatAddress(name, port)}`, reach: 'network' };
}

/** True for a host that means every address of the machine. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
