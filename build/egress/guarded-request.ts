// One request through the guard, with manual redirects: at most five, each checked like the first URL. Headers for
// the first URL's origin, such as credentials, are not sent after a redirect has left that origin, not even back to
// it.

import type { AddressPolicy } from './address-policy.ts';
import { checkedUrl } from './checked-url.ts';
import { EgressFailure, shownUrl } from './egress-failure.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import { exchangeHttp, type IncomingResponse } from './http-exchange.ts';
import { parseUrl } from '../contract/parse-url.ts';

export interface GuardedAccess {
  readonly policy: AddressPolicy;
  readonly agent: GuardedAgent;
}

/** What a request changes at the other side. */
export interface RequestContent {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** the header Content-Type */
  readonly type: string;
  readonly text: string;
}

export interface GuardedGet {
  /** the headers of a request to this URL. `home`: no redirect has led away from the first URL's origin */
  readonly headers: (url: URL, home: boolean) => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** undefined: a GET. The request returns a redirect unfollowed, so that no other server gets the content */
  readonly content?: RequestContent | undefined;
}

export interface GuardedAnswer {
  /** the last one, behind all redirects */
  readonly url: URL;
  readonly home: boolean;
  readonly response: IncomingResponse;
}

const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Resolves to the first response that is no redirect, with any status. `first` is a checked URL. Rejects with
 * EgressFailure, or with the error of `exchange`.
 */
export async function getGuarded(
  first: URL,
  { policy, agent }: GuardedAccess,
  { headers, signal, content }: GuardedGet,
): Promise<GuardedAnswer> {
  let url = first;
  let home = true;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const sent = content === undefined ? headers(url, home) : { ...headers(url, home), 'content-type': content.type };
    const response = await exchangeHttp(url, agent, {
      headers: sent,
      signal,
      body: content?.text,
      method: content?.method,
    });
    const { location } = response.headers;
    if (content !== undefined || !redirects.has(response.status) || location === undefined)
      return { url, home, response };
    discard(response);
    url = checkedUrl(location, policy, url);
    home &&= url.origin === first.origin;
  }
  throw new EgressFailure('unreachable', `${shownUrl(first)} redirects more than ${maxRedirects} times.`);
}

/**
 * Discards an unused body, which would occupy its connection. A short body is read and dropped, so that the next
 * request can use the connection.
 */
export function discard({ status, headers, body }: IncomingResponse): void {
  if (status === 304 || Number(headers['content-length'] ?? Number.NaN) <= shortBytes) body.resume();
  else body.destroy();
}

const shortBytes = 16 * 1024;

/** Describes any network error in words, or returns the guard's own refusal. `timeoutMs`: of the signal. */
export function explainFailure(error: unknown, text: string, timeoutMs: number): EgressFailure {
  for (let found: unknown = error; found instanceof Error; found = found.cause) {
    if (found instanceof EgressFailure) return found;
  }
  const url = parseUrl(text);
  const shown = url === undefined ? 'The URL' : shownUrl(url);
  if (error instanceof Error && error.name === 'TimeoutError')
    return new EgressFailure('unreachable', `${shown} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = error instanceof Error && error.message !== '' ? error.message : (code ?? 'no reason given');
  const shownReason = code === 'ECONNRESET' ? 'the connection was closed before the whole answer had come' : reason;
  return new EgressFailure('unreachable', `${shown} could not be fetched: ${shownReason}.`, { cause: error });
}
