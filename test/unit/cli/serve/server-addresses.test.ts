// Tests the address that a server tells to the commands of its data folder.

import { expect, it } from 'vitest';

import { advertisedAddress } from '../../../../cli/serve/server-addresses.ts';
import { loadConfig } from '../../../../cli/config/config.ts';

const told = async (flags: object, names?: readonly string[], environment = {}): Promise<string | undefined> =>
  advertisedAddress(
    await loadConfig({ flags: { ...flags }, environment, workingDirectory: '/nowhere' }),
    names && { names },
    ['192.0.2.7'],
  );

it.each([
  ['the address that other machines reach', '0.0.0.0:8099', undefined, 'http://192.0.2.7:8099'],
  ['the address that it listens on', '127.0.0.1:8099', undefined, 'http://127.0.0.1:8099'],
  [
    'a name of its certificate',
    '0.0.0.0:8443',
    ['*.example.org', 'packages.example.org'],
    'https://packages.example.org:8443',
  ],
  ['a placeholder for a certificate of many hosts', '0.0.0.0:8443', ['*.example.org'], 'https://HOST:8443'],
  ['nothing if the system chooses the port', '127.0.0.1:0', ['localhost'], undefined],
])('is %s', async (_, listen, names, address) => {
  expect(await told({ listen }, names)).toBe(address);
});

it('is the configured one, and none behind a reverse proxy', async () => {
  const configured = { LIBRETTO_PUBLIC_URL: 'https://packages.example.org' };
  expect(await told({ listen: '127.0.0.1:8080', trustedProxies: '127.0.0.1' })).toBeUndefined();
  expect(await told({ trustedProxies: '127.0.0.1' }, undefined, configured)).toBe('https://packages.example.org');
});
