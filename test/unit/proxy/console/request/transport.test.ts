// Tests how the console judges the safety of a connection. A wrong answer would send passwords unencrypted.

import { describe, expect, it } from 'vitest';
import { parseAddressRange, type AddressRange } from '../../../../../proxy/core/http/client-address.ts';
import { transportOf, type ConnectionInfo } from '../../../../../proxy/console/request/transport.ts';

const trustedProxies = [parseAddressRange('10.0.0.0/8') as AddressRange];
const direct: ConnectionInfo = {
  encrypted: false,
  peer: '127.0.0.1',
  host: 'localhost:8080',
  forwardedProto: undefined,
  forwardedFor: undefined,
};
const publicUrl = 'https://packages.example.org';

describe('the transport of a request', () => {
  it.each([
    ['own TLS', { encrypted: true, peer: '203.0.113.9' }, 'https'],
    ['a trusted proxy with HTTPS', { peer: '10.0.0.1', host: 'any', forwardedProto: 'https' }, 'https'],
    ['a trusted proxy with plain HTTP', { peer: '10.0.0.1', host: 'any', forwardedProto: 'http' }, 'plain'],
    ['another peer that claims HTTPS', { peer: '203.0.113.9', host: 'any', forwardedProto: 'https' }, 'plain'],
    ['the configured address with HTTPS', { peer: '10.9.9.9', host: 'packages.example.org' }, 'https'],
    ['the configured name on another port', { peer: '10.9.9.9', host: 'packages.example.org:8080' }, 'plain'],
    ['this machine', {}, 'loopback'],
    ['this machine by address', { host: '127.0.0.1:8080' }, 'loopback'],
    ['this machine over IPv6', { peer: '::1', host: '[::1]:8080' }, 'loopback'],
    ['this machine by another name', { host: 'registry.example.org' }, 'plain'],
    ['a proxy on this machine', { forwardedFor: '203.0.113.9' }, 'plain'],
    ['another machine that claims localhost', { peer: '203.0.113.9' }, 'plain'],
    ['a connection that is gone', { peer: undefined }, 'plain'],
  ] as const)('%s', (_name, arrival, transport) =>
    expect(transportOf({ ...direct, ...arrival }, { publicUrl, trustedProxies })).toBe(transport),
  );

  it('trusts no name without a configured address', () =>
    expect(transportOf({ ...direct, host: 'packages.example.org' }, { publicUrl: undefined, trustedProxies })).toBe(
      'plain',
    ));
});
