// Tests the choice among the addresses of a machine.

import { expect, it } from 'vitest';

import { reachableAddresses, readAddresses } from '../../../../cli/io/network-addresses.ts';

it('other machines reach neither loopback nor link-local addresses, and IPv4 comes first', () => {
  const [IPv4, IPv6] = [
    { family: 'IPv4', internal: false },
    { family: 'IPv6', internal: false },
  ];
  expect(
    reachableAddresses({
      lo: [{ address: '127.0.0.1', family: 'IPv4', internal: true }],
      eth0: [
        { address: 'fe80::1', ...IPv6 },
        { address: '2001:db8::5', ...IPv6 },
        { address: '10.0.0.5', ...IPv4 },
      ],
      eth1: [{ address: '169.254.1.1', ...IPv4 }],
      none: undefined,
    }),
  ).toEqual(['10.0.0.5', '2001:db8::5']);
});

it('there are none where the kernel refuses the question', () => {
  const refused = Object.assign(new Error('Unknown system error 97'), { code: 'ERR_SYSTEM_ERROR' });
  const failing = (error: Error) => () => {
    throw error;
  };
  expect(readAddresses(failing(refused))).toEqual([]);
  expect(() => readAddresses(failing(new Error('another')))).toThrow('another');
});
