// Decides which host names and addresses a URL may contain: only names that a resolver can know. Pure.

import { parseUrl } from './parse-url.ts';

/** RFC 1035 §2.3.4, and underscores, which internal networks use. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;
const longestName = 253;

/** `host`: as in a URL, an IPv6 address in brackets or without; a dot at the end of a name is the root. */
export function isPossibleHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (bare.includes(':')) return parseUrl(`http://[${bare}]`) !== undefined;
  const name = bare.replace(/\.$/, '');
  if (name.length > longestName || !name.split('.').every((part) => label.test(part))) return false;
  // the URL parser decodes punycode and reads a name that ends in a number as an address (WHATWG URL §3.5): the parsed
  // host must equal the name
  return parseUrl(`http://${name}`)?.hostname === name.toLowerCase();
}
