// The only parser of addresses from people, files and other registries. A parsed URL has a host that can exist and a
// port that accepts connections. Pure: no name is looked up.

import type { Branded } from './brand.ts';
import { isPossibleHost } from './host-name.ts';
import { parseUrl } from './parse-url.ts';

/** The full text of a URL, unchanged. */
export type Address = Branded<string, 'Address'>;

export interface ParsedAddress {
  readonly address: Address;
  readonly url: URL;
}

/** `refusal` follows the name of the field, as in `names port 0, where nothing listens`. */
export interface RefusedAddress {
  readonly refusal: string;
}

export function parseAddress(text: string): ParsedAddress | RefusedAddress {
  // the URL parser removes some of these characters, and so reads another host than people see
  if (/[\p{Cc}\p{Cf}]/u.test(text)) return { refusal: 'holds an invisible character' };
  // the URL parser takes the first segment of https:///path for the host
  if (/^[a-z][a-z0-9+.-]*:\/\/[/\\?#]/i.test(text)) return { refusal: 'names no host' };
  const url = parseUrl(text);
  if (url === undefined) return { refusal: 'has an invalid host name, address or port' };
  if (url.port === '0') return { refusal: 'names port 0, where nothing listens' };
  if (isPossibleHost(url.hostname)) return { address: text as Address, url };
  // the host may be part of a password if an @ follows it
  const shown = `${url.pathname}${url.search}${url.hash}`.includes('@') ? '' : ` ${JSON.stringify(url.hostname)}`;
  return { refusal: url.hostname === '' ? 'names no host' : `names the impossible host${shown}` };
}

/**
 * The fault of an http(s) address, as the continuation of its field's name; undefined for a valid address, and for text
 * of another kind.
 */
export function httpAddressFault(text: string): string | undefined {
  if (!/^https?:/i.test(text)) return undefined;
  const parsed = parseAddress(text);
  return 'refusal' in parsed ? parsed.refusal : undefined;
}
