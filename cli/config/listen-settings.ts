// The addresses that a server listens on: for clients, and for Prometheus.

import type { Setting } from './setting.ts';
import { listenFault, parseHostPort, parseListen, standardPort, type ListenAddress } from './setting-values.ts';

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
