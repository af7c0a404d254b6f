// One request during its processing, with its id, its client address, its token and its route.

import { randomBytes } from 'node:crypto';
import type { ActiveToken } from '../tokens/authenticate.ts';
import { clientAddress, type AddressRange } from '../http/client-address.ts';
import type { HttpRequest, HttpResponse } from '../http/http-request.ts';
import type { CountedRoute } from '../observe/metrics.ts';

export interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** the address of the connection, read at the start: a closed connection has none */
  readonly peer: string | undefined;
  readonly id: string;
  readonly startedAt: number;
  token: ActiveToken | undefined;
  route: CountedRoute;
}

/** The client's address, by the headers of trusted reverse proxies. */
export function addressOf({ request, peer }: Exchange, trustedProxies: readonly AddressRange[]): string {
  return clientAddress(peer, request.headers['x-forwarded-for'] as string | undefined, trustedProxies);
}

/** Creates ids that are unique across processes and ordered within one. */
export function requestIds(): () => string {
  const instance = randomBytes(4).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${instance}-${count}`;
  };
}
