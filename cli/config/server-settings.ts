// The settings of a server: its addresses, its certificate, its limits of connections, and its processes.

import { pathSetting, wholeNumber, type Setting } from './setting.ts';
import {
  listenFault,
  parseHostPort,
  parseListen,
  standardPort,
  type ListenAddress,
  parseWebAddress,
  webFault,
  parseWholeNumber,
} from './setting-values.ts';
import { webAddressAllowed, webAddressPattern } from '../../build/contract/registry-address.ts';
import { defaultServerLimits } from '../../proxy/core/http/server-limits.ts';
import { availableParallelism } from 'node:os';

const hostPort = String.raw`(?:(?:\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):)?(?:[0-9]{1,4}|[0-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])`;
const hostAlone = String.raw`localhost|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+\.?|\[[0-9A-Fa-f:.]+\]|[0-9A-Fa-f]*(?::[0-9A-Fa-f.]*){2,8}`;

export const listenSetting: Setting<ListenAddress> = {
  key: 'listen',
  flag: '--listen <host:port>',
  variable: 'LIBRETTO_LISTEN',
  purpose: 'the address and port to serve on; port 0 uses any free port',
  allowed:
    'HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host ' +
    'name with a dot alone, which means port 8080',
  parse: parseListen,
  reason: listenFault,
  standard: () => ({ host: '127.0.0.1', port: standardPort }),
  schema: {
    type: ['string', 'integer'],
    pattern: `^(?:${hostPort}|${hostAlone})$`,
    minimum: 0,
    maximum: 65_535,
  },
};

export const metricsSetting: Setting<ListenAddress | undefined> = {
  ...listenSetting,
  key: 'metrics',
  flag: '--metrics <host:port>',
  variable: 'LIBRETTO_METRICS',
  purpose: 'the address and port for Prometheus metrics, served without authentication',
  allowed: 'HOST:PORT, [IPV6]:PORT, or a port alone (0 to 65535), which means 127.0.0.1',
  parse: parseHostPort,
  standard: () => undefined,
  schema: { type: ['string', 'integer'], pattern: `^${hostPort}$`, minimum: 0, maximum: 65_535 },
};

// The address of the registry as clients write it. Messages name it, and its path begins every address in packages.json
// (public-url.ts).

const publicUrl: Setting<string | undefined> = {
  key: 'publicUrl',
  variable: 'LIBRETTO_PUBLIC_URL',
  purpose: 'the address of the registry for its clients; packages.json follows its path',
  allowed: `an ${webAddressAllowed}, such as https://packages.example.org`,
  parse: (raw) => parseWebAddress(raw)?.replace(/\/packages\.json$/, ''),
  reason: webFault,
  standard: () => undefined,
  schema: { type: 'string', pattern: webAddressPattern },
};

export const addressSettings = { publicUrl };

export const tlsSettings = {
  tlsCert: pathSetting({
    key: 'tlsCert',
    flag: '--tls-cert <file>',
    variable: 'LIBRETTO_TLS_CERT',
    purpose: 'serve HTTPS (HTTP/2 and HTTP/1.1) with this certificate and its intermediate certificates',
    allowed: 'a file in PEM',
  }),
  tlsKey: pathSetting({
    key: 'tlsKey',
    flag: '--tls-key <file>',
    variable: 'LIBRETTO_TLS_KEY',
    purpose: 'the private key of the certificate, without a passphrase',
    allowed: 'a file in PEM',
  }),
};

/** The maximum number of connections of one process. */
const most = defaultServerLimits.maxConnections;

const maxIdleConnections = wholeNumber({
  key: 'maxIdleConnections',
  flag: '--max-idle-connections <n>',
  variable: 'LIBRETTO_MAX_IDLE_CONNECTIONS',
  purpose: 'the maximum number of idle and half-open connections per client address; 0 means unlimited',
  least: 0,
  most,
  standard: () => defaultServerLimits.idlePerAddress,
});

export const connectionSettings = { maxIdleConnections };

const mostWorkers = 256;

export const workers: Setting<number> = {
  key: 'workers',
  flag: '--workers <n>',
  variable: 'LIBRETTO_WORKERS',
  purpose: 'the number of server processes; more than one requires a shared Redis',
  allowed: 'a whole number from 1 to 256, or auto for one per processor',
  parse: (raw) =>
    raw === 'auto' ? Math.min(availableParallelism(), mostWorkers) : parseWholeNumber(raw, 1, mostWorkers),
  standard: () => 1,
  schema: { type: ['string', 'integer'], pattern: '^auto$', minimum: 1, maximum: mostWorkers },
};
