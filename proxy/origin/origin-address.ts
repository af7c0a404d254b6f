// Where an origin is, and what opens it.

import { Secret } from '../auth/secret.ts';

export interface OriginAddress {
  /** without user, and without a slash at its end; `public/` and `index/` are below it */
  readonly url: string;
  /** the value of the Authorization header it wants */
  readonly authorization: Secret | undefined;
}

/** Undefined where it is no http(s) address, or has a query or fragment. A user and password in it become Basic authentication. */
export function parseOriginAddress(text: string): OriginAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, pathname, search, hash, username, password } = new URL(text);
  if ((protocol !== 'http:' && protocol !== 'https:') || host === '' || search !== '' || hash !== '' || /[?#]/.test(text)) return undefined;
  const url = `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
  if (username === '' && password === '') return { url, authorization: undefined };
  try {
    return { url, authorization: new Secret(`Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`) };
  } catch {
    return undefined; // a percent sign that encodes nothing
  }
}
