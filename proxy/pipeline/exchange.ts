// One request on its way through the server, with what becomes known of it.

import type { ActiveToken } from '../auth/authenticate.ts';
import { clientAddress, type AddressRange } from '../http/client-address.ts';
import type { HttpRequest, HttpResponse } from '../http/http-request.ts';
import type { CountedRoute } from '../observe/metrics.ts';

export interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** whose connection it is; asked for at once, since a connection that is gone does not know */
  readonly peer: string | undefined;
  readonly id: string;
  readonly startedAt: number;
  token: ActiveToken | undefined;
  route: CountedRoute;
}

/** Whose request it is, as far as the trusted reverse proxies say. */
export function addressOf({ request, peer }: Exchange, trustedProxies: readonly AddressRange[]): string {
  return clientAddress(peer, request.headers['x-forwarded-for'] as string | undefined, trustedProxies);
}
