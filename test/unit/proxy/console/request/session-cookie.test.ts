// Tests the cookies of the console: their names, and the attributes on which their safety rests.

import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../../build/shared/text/secret.ts';
import { clearCookie, readCookie, setCookie } from '../../../../../proxy/console/request/session-cookie.ts';

const https = { transport: 'https', host: 'packages.example.org', path: '' } as const;
const local = { transport: 'loopback', host: 'localhost:8080', path: '' } as const;
const value = new Secret('eyJhbGciOi.x.y');

describe('a cookie', () => {
  it('over HTTPS belongs to this host alone', () =>
    expect(setCookie('session', value, https)).toBe(
      '__Host-libretto-session=eyJhbGciOi.x.y; Path=/; HttpOnly; Secure; SameSite=Lax',
    ));

  it('over plain HTTP on this machine has the port in its name', () =>
    expect(setCookie('session', value, local)).toBe(
      'libretto-session-8080=eyJhbGciOi.x.y; Path=/; HttpOnly; SameSite=Lax',
    ));

  it('over HTTPS below a path of a host has that path, which __Host- would forbid', () =>
    expect(setCookie('session', value, { ...https, path: '/composer' })).toBe(
      '__Secure-libretto-session=eyJhbGciOi.x.y; Path=/composer/; HttpOnly; Secure; SameSite=Lax',
    ));

  it('ends when it is cleared', () => expect(clearCookie('session', https)).toContain('Max-Age=0'));

  it('is read as it was set', () => {
    const header = `other=1; ${setCookie('session', value, https).split(';', 1)[0] ?? ''}; more=2`;
    expect(readCookie(header, 'session', https)).toBe('eyJhbGciOi.x.y');
    expect(readCookie(header, 'confirmed', https)).toBeUndefined();
    expect(readCookie(header, 'session', local)).toBeUndefined();
    expect(readCookie(undefined, 'session', https)).toBeUndefined();
  });
});
