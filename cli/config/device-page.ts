// Where a person types the code of a terminal, as far as the configuration tells it. Pure.

import type { Config } from './config.ts';

/** `origin`: the address of the registry for the terminal. undefined: the server has no console, or chose its port. */
export function devicePage(
  {
    features,
    consoleListen,
    consoleHosts,
    tlsCert,
  }: Pick<Config, 'features' | 'consoleListen' | 'consoleHosts' | 'tlsCert'>,
  origin: string,
): string | undefined {
  if (!features.value.includes('console')) return undefined;
  if (consoleListen.value === undefined) return `${origin}/ui/device`;
  const { host, port } = consoleListen.value;
  if (port === 0) return undefined;
  const [named] = consoleHosts.value;
  const own = named ?? (host === '0.0.0.0' || host === '::' ? new URL(origin).hostname : bracketed(host));
  return `${tlsCert.value === undefined ? 'http' : 'https'}://${own}:${port}/ui/device`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
