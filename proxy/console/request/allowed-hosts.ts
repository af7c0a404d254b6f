// The host names that the console answers. A page of another site can point its own name at this server (DNS
// rebinding), and would then be of one origin with the console: requests for other names are refused. An attacker has
// no name that is an IP address, so addresses are always allowed. Pure.

import { isIP } from 'node:net';

/**
 * `names`: the host names of this moment without a port, in any case; `*.example.org` stands for every name below
 * example.org. A renewed certificate may have new ones.
 */
export function createAllowedHosts(names: () => readonly string[]): (host: string | undefined) => boolean {
  return (host) => {
    const name = hostNameOf(host);
    if (name === undefined) return false;
    if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
    const allowed = new Set(names().map((one) => one.toLowerCase()));
    return allowed.has(name) || allowed.has(name.replace(/^[^.]+/, '*'));
  };
}

/** The name in a Host header, lower case, without port, brackets and final dot; undefined: none. */
export function hostNameOf(host: string | undefined): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (found?.[1] ?? found?.[2])?.toLowerCase().replace(/\.$/, '');
}
