// Tests the addresses that commands print for clients on this machine and on others.

import { describe, expect, it } from 'vitest';

import { listenedAddress, localUrl } from '../../../../cli/text/address.ts';

it('a server that listens on every address is reached by loopback on its own machine', () => {
  expect([localUrl('0.0.0.0', 80), localUrl('::', 81), localUrl('::1', 82), localUrl('box', 83)]).toEqual([
    'http://127.0.0.1:80',
    'http://[::1]:81',
    'http://[::1]:82',
    'http://box:83',
  ]);
});

describe('the address for clients', () => {
  const networkAddresses = ['10.0.0.5', '2001:db8::5'];
  const of = (host: string, more: object = {}) =>
    listenedAddress({ host, port: 8080, publicUrl: undefined, networkAddresses, ...more });

  it.each([
    ['loopback alone', '127.0.0.1', {}, 'http://127.0.0.1:8080', 'loopback'],
    ['one address of the network', '10.0.0.5', {}, 'http://10.0.0.5:8080', 'network'],
    ['every IPv4 address', '0.0.0.0', {}, 'http://10.0.0.5:8080', 'network'],
    [
      'every IPv4 address of a host with IPv6 alone',
      '0.0.0.0',
      { networkAddresses: ['2001:db8::5'] },
      'http://127.0.0.1:8080',
      'loopback',
    ],
    [
      'every address of a host with IPv6 alone',
      '::',
      { networkAddresses: ['2001:db8::5'] },
      'http://[2001:db8::5]:8080',
      'network',
    ],
    ['every address of a host without a network', '::', { networkAddresses: [] }, 'http://[::1]:8080', 'loopback'],
    [
      'every address, with a configured one',
      '0.0.0.0',
      { publicUrl: 'https://packages.example.org' },
      'https://packages.example.org',
      'configured',
    ],
    [
      'every address, with a certificate',
      '0.0.0.0',
      { certificate: { names: ['localhost', '*.example.org', 'packages.example.org'] } },
      'https://packages.example.org:8080',
      'network',
    ],
    [
      'every address, with a certificate for an address',
      '0.0.0.0',
      { certificate: { names: ['localhost', '10.0.0.5'] } },
      'https://10.0.0.5:8080',
      'network',
    ],
    [
      'every address, with a certificate for this machine alone',
      '0.0.0.0',
      { certificate: { names: ['localhost', '127.0.0.1'] } },
      'https://127.0.0.1:8080',
      'loopback',
    ],
  ])('%s', (_, host, more, url, reach) => expect(of(host, more)).toEqual({ url, reach }));
});
