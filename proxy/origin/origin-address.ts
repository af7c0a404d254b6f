// The address of an origin, and its credentials.

import { parseAddress } from '../../build/contract/address.ts';
import { Secret } from '../../build/shared/text/secret.ts';

export interface OriginAddress {
  /** the address without user, and without a slash at its end; `public/` and `index/` are below it */
  readonly url: string;
  /** the value of its Authorization header */
  readonly authorization: Secret | undefined;
}

/**
 * Undefined for text that is no http(s) address of a possible host, or has a query or fragment. A user and password in
 * it become Basic authentication.
 */
export function parseOriginAddress(text: string): OriginAddress | undefined {
  const parsed = parseAddress(text);
  if ('refusal' in parsed) return undefined;
  const { protocol, host, pathname, search, hash, username, password } = parsed.url;
  if ((protocol !== 'http:' && protocol !== 'https:') || search !== '' || hash !== '' || /[?#]/.test(text))
    return undefined;
  const url = `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
  if (username === '' && password === '') return { url, authorization: undefined };
  try {
    return {
      url,
      authorization: new Secret(
        `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      ),
    };
  } catch {
    return undefined; // an invalid percent sign
  }
}
