// One request to an issuer through the guard of all egress, with its whole answer in memory. Its form is that of
// `fetch`, so that a library can send its requests through the same door.

import { checkedUrl } from '../../build/egress/checked-url.ts';
import { getGuarded, type GuardedAccess } from '../../build/egress/guarded-request.ts';
import { readDecoded } from '../mirror/upstream/decoded-body.ts';

export interface GuardedFetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects with EgressFailure or a network error. A redirect of a POST is not followed. */
export type GuardedFetch = (address: string, options: GuardedFetchOptions) => Promise<Response>;

const longestAnswer = 256 * 1024;
/** The constructor of Response refuses a body for these. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export function createGuardedFetch(access: GuardedAccess, userAgent: string): GuardedFetch {
  return async (address, { method, headers, body, signal = new AbortController().signal }) => {
    const sent = { ...headers, 'user-agent': userAgent, 'accept-encoding': 'gzip, br' };
    const { response } = await getGuarded(checkedUrl(address, access.policy), access, {
      signal,
      // credentials are for the first address alone
      headers: (_url, home) => (home ? sent : withoutCredentials(sent)),
      ...(method === 'POST' && {
        content: {
          method: 'POST',
          type: sentHeader(headers, 'content-type') ?? 'application/x-www-form-urlencoded',
          text: textOf(body),
        },
      }),
    });
    const bytes = await readDecoded(response.body, response.headers['content-encoding'], longestAnswer);
    return new Response(bodiless.has(response.status) ? null : bytes.toString('utf8'), {
      status: response.status,
      headers: headersOf(response.headers),
    });
  };
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
}

function sentHeader(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a request to an issuer has a form as its body');
}

/** The body is decoded already. */
function headersOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || name === 'content-encoding' || name === 'content-length') return [];
    return [value].flat().map((one): [string, string] => [name, one]);
  });
}
