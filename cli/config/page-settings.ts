// The settings of pages for people: the console (its own address, the host names that it answers, plain HTTP for a
// trial), and the static catalogue.

import { isPossibleHost } from '../../build/contract/host-name.ts';
import { listenSetting } from './server-settings.ts';
import { flagSetting, pathSetting, type Setting } from './setting.ts';
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

const consoleAllowHttp = flagSetting({
  key: 'consoleAllowHttp',
  flag: '--console-allow-http',
  variable: 'LIBRETTO_CONSOLE_ALLOW_HTTP',
  purpose: 'let people of other machines sign in over plain HTTP, for a trial in your own network',
});

export const consoleSettings = { consoleListen, consoleHosts, consoleAllowHttp };

function parseHosts(raw: unknown): readonly string[] | undefined {
  const parts: unknown = typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw;
  return Array.isArray(parts) && parts.every(isHostName) ? parts.map((name) => name.toLowerCase()) : undefined;
}

function isHostName(value: unknown): value is string {
  return typeof value === 'string' && new RegExp(hostPattern).test(value) && isPossibleHost(value.replace(/^\*\./, ''));
}

const site = pathSetting({
  key: 'site',
  flag: '--site <directory>',
  variable: 'LIBRETTO_SITE',
  purpose: 'a folder for the package pages as plain files, for any web server',
  allowed: 'a path',
});

export const siteSettings = { site };
