// Which names and addresses a URL may have as its host: those that a resolver could ever know. Pure.

import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** RFC 1035 §2.3.4, and underscores, which internal networks use. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;
const longestName = 253;

/** `host`: as in a URL, an IPv6 address in brackets or without; a dot at the end of a name is the root. */
export function isPossibleHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return true;
  const name = bare.replace(/\.$/, '');
  if (name.length > longestName || !name.split('.').every((part) => label.test(part))) return false;
  // a name that ends in a number is an address (WHATWG URL §3.5), and this one is none; punycode is decoded to be checked
  return !/(?:^|\.)(?:0x[0-9a-f]*|[0-9]+)$/i.test(name) && domainToASCII(name) !== '';
}
