// The cookies of a browser: its session, the proof that its person entered the password a short time ago, and the
// sign-in at an identity provider that waits for its answer. Over HTTPS their names begin with `__Host-`: then browsers
// accept them from this host alone, with Secure and without Domain. Below a path of the host they have this path, which
// `__Host-` forbids: other services of the host get no session. On this machine over plain HTTP the port is in the
// name, because cookies of localhost are shared by all ports.

import { parse, serialize } from 'hono/utils/cookie';
import type { Secret } from '../../../build/shared/text/secret.ts';
import type { Transport } from './transport.ts';

export type CookieName = 'session' | 'confirmed' | 'sso';

export interface CookiePlace {
  readonly transport: Transport;
  /** the Host header */
  readonly host: string | undefined;
  /** the path below which the browser reached the registry, without a slash at its end */
  readonly path: string;
}

/** The value of the cookie in a Cookie header; undefined: the browser has none. */
export function readCookie(header: string | undefined, name: CookieName, place: CookiePlace): string | undefined {
  if (header === undefined) return undefined;
  const full = fullName(name, place);
  return parse(header, full)[full];
}

/** The value of Set-Cookie. The cookie ends with the browser, or after `maxAgeSeconds`. */
export function setCookie(name: CookieName, value: Secret, place: CookiePlace, maxAgeSeconds?: number): string {
  return serialize(fullName(name, place), value.reveal(), {
    ...attributes(place),
    ...(maxAgeSeconds && { maxAge: maxAgeSeconds }),
  });
}

/** The value of Set-Cookie that deletes the cookie. */
export function clearCookie(name: CookieName, place: CookiePlace): string {
  return serialize(fullName(name, place), '', { ...attributes(place), maxAge: 0 });
}

function attributes({ transport, path }: CookiePlace) {
  return { path: `${path}/`, httpOnly: true, sameSite: 'Lax', secure: transport === 'https' } as const;
}

function fullName(name: CookieName, { transport, host = '', path }: CookiePlace): string {
  if (transport === 'https') return `${path === '' ? '__Host' : '__Secure'}-libretto-${name}`;
  return `libretto-${name}-${/:(\d+)$/.exec(host)?.[1] ?? '80'}`;
}
