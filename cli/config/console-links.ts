// The addresses of pages of the console, as far as the configuration gives them. Pure.

import type { Config } from './config.ts';
import type { InvitationPage } from '../../proxy/auth/invitation-link.ts';

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

// Where an invited person chooses a password, as far as the configuration tells it. A console with an address of its
// own is not below the address of the registry.

export function invitationPage({
  features,
  consoleListen,
}: Pick<Config, 'features' | 'consoleListen'>): InvitationPage {
  return features.value.includes('console') && consoleListen.value === undefined ? 'console' : 'explorer';
}
