// Tests the client address in the log: no claim of a client changes it.

import { describe, expect, it } from 'vitest';
import { clientAddress, parseAddressRange, type AddressRange } from '../../../../../proxy/core/http/client-address.ts';

describe('parseAddressRange', () => {
  it.each(['10.0.0.0/8', '127.0.0.1', '::1', '2001:db8::/32', '0.0.0.0/0'])('parseAddressRange accepts %s', (text) =>
    expect(parseAddressRange(text)).toBeDefined(),
  );
  it.each(['', 'localhost', '10.0.0.0/33', '10.1', '0x7f.1', '2130706433', '10.0.0.0/8,', '::1/129'])(
    'parseAddressRange refuses %j',
    (text) => expect(parseAddressRange(text)).toBeUndefined(),
  );
});

describe('clientAddress', () => {
  const trusted = ['10.0.0.0/8', '::1'].map((text) => parseAddressRange(text) as AddressRange);
  it.each([
    ['a direct client', '203.0.113.9', '6.6.6.6', '203.0.113.9'],
    ['behind a proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['behind a proxy on a dual-stack socket', '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['an IPv6 proxy', '::1', '2001:db8::9', '2001:db8::9'],
    ['no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['only trusted hops', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['an unreadable hop', '10.0.0.1', '203.0.113.9, _hidden', '10.0.0.1'],
    ['a peer that is gone', undefined, '203.0.113.9', 'unknown'],
  ])('the client address is determined: %s', (_name, peer, forwarded, client) =>
    expect(clientAddress(peer, forwarded, trusted)).toBe(client),
  );
});
