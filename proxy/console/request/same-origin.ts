// Whether a post comes from a page of the console itself. A browser says so in Sec-Fetch-Site, and an older one in
// Origin. A post without both is refused: no browser that the console supports sends one. Pure.

import { parseUrl } from '../../../build/contract/parse-url.ts';
import type { Transport } from './transport.ts';

export interface PostHeaders {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** `plain`: perhaps https up to a reverse proxy that does not say so */
  readonly transport: Transport;
}

export function isSameOrigin({ fetchSite, origin, host, transport }: PostHeaders): boolean {
  if (fetchSite !== undefined) return fetchSite === 'same-origin';
  if (origin === undefined || host === undefined) return false;
  const { host: named, protocol } = parseUrl(origin) ?? {};
  if (transport !== 'plain' && protocol !== schemes[transport]) return false;
  return named !== undefined && named === withoutStandardPort(host, origin);
}

const schemes = { https: 'https:', loopback: 'http:' } as const;

/** URL leaves out the standard port, and a Host header may have it. */
function withoutStandardPort(host: string, origin: string): string {
  return host.toLowerCase().replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '');
}
