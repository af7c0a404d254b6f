// Tests which posts count as posts of the console's own pages.

import { describe, expect, it } from 'vitest';
import { isSameOrigin } from '../../../../proxy/console/console.ts';

const host = 'packages.example.org';

describe('a post', () => {
  it.each([
    ['of the same origin', { fetchSite: 'same-origin', origin: undefined }, true],
    ['of another port or name of the site', { fetchSite: 'same-site', origin: undefined }, false],
    ['of another site', { fetchSite: 'cross-site', origin: `https://${host}` }, false],
    ['without a page', { fetchSite: 'none', origin: undefined }, false],
    ['of an older browser', { fetchSite: undefined, origin: `https://${host}` }, true],
    ['of an older browser, of another site', { fetchSite: undefined, origin: 'https://evil.example' }, false],
    ['of a page without an origin', { fetchSite: undefined, origin: 'null' }, false],
    ['without both headers', { fetchSite: undefined, origin: undefined }, false],
  ] as const)('%s', (_name, headers, expected) =>
    expect(isSameOrigin({ ...headers, host, transport: 'https' })).toBe(expected),
  );

  it('may name the standard port in Host', () =>
    expect(
      isSameOrigin({ fetchSite: undefined, origin: `https://${host}`, host: `${host}:443`, transport: 'https' }),
    ).toBe(true));

  it('of another port is of another origin', () =>
    expect(isSameOrigin({ fetchSite: undefined, origin: `https://${host}:8443`, host, transport: 'https' })).toBe(
      false,
    ));

  it.each([
    ['http', 'https', false],
    ['https', 'https', true],
    ['https', 'loopback', false],
    ['http', 'loopback', true],
    ['https', 'plain', true],
    ['http', 'plain', true],
  ] as const)('of a page over %s, that came over %s: %s', (scheme, transport, expected) => {
    const origin = `${scheme}://${host}`;
    expect(isSameOrigin({ fetchSite: undefined, origin, host, transport })).toBe(expected);
  });
});
