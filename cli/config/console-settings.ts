// The settings of the console: its own address, the host names that it answers, and plain HTTP for a trial.

import { isPossibleHost } from '../../build/contract/host-name.ts';
import { listenSetting } from './listen-settings.ts';
import type { Setting } from './setting.ts';
import type { ListenAddress } from './setting-values.ts';

const hostPattern = String.raw`^(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$`;

const consoleListen: Setting<ListenAddress | undefined> = {
  ...listenSetting,
  key: 'consoleListen',
  flag: '--console-listen <host:port>',
  variable: 'LIBRETTO_CONSOLE_LISTEN',
  purpose: 'an address and port for the console alone; the other address then has no console',
  standard: () => undefined,
};

const consoleHosts: Setting<readonly string[]> = {
  key: 'consoleHosts',
  flag: '--console-hosts <names>',
  variable: 'LIBRETTO_CONSOLE_HOSTS',
  purpose: 'more host names under which browsers reach the console',
  allowed:
    'host names without a port, such as packages.lan or *.example.org, separated by commas (in libretto.json: a list)',
  parse: parseHosts,
  standard: () => [],
  schema: { type: 'array', items: { type: 'string', pattern: hostPattern } },
};

const consoleAllowHttp: Setting<boolean> = {
  key: 'consoleAllowHttp',
  flag: '--console-allow-http',
  variable: 'LIBRETTO_CONSOLE_ALLOW_HTTP',
  purpose: 'let people of other machines sign in over plain HTTP, for a trial in your own network',
  allowed: 'true or false',
  parse: (raw) => (raw === true || raw === 'true' ? true : raw === false || raw === 'false' ? false : undefined),
  standard: () => false,
  schema: { type: 'boolean' },
};

export const consoleSettings = { consoleListen, consoleHosts, consoleAllowHttp };

function parseHosts(raw: unknown): readonly string[] | undefined {
  const parts: unknown = typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw;
  return Array.isArray(parts) && parts.every(isHostName) ? parts.map((name) => name.toLowerCase()) : undefined;
}

function isHostName(value: unknown): value is string {
  return typeof value === 'string' && new RegExp(hostPattern).test(value) && isPossibleHost(value.replace(/^\*\./, ''));
}
