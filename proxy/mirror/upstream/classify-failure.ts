// Classifies the failure of a request to an upstream: finds the cause, and decides if a retry makes sense. Pure.

import { CredentialsInUrl, EgressFailure, shownUrl } from '../../../build/egress/egress-failure.ts';
import { explainFailure, type GuardedAnswer } from '../../../build/egress/guarded-request.ts';
import { UnusableBody } from './decoded-body.ts';

export interface ClassifiedFailure {
  readonly message: string;
  readonly cause?: unknown;
  /** the failing address, after redirects */
  readonly at: URL;
  /**
   * `host`: it is unreachable, or requests a pause. `one`: this resource failed, and may work another time. `wrong`:
   * the content differs from the request. `withheld`: the resource is missing, or forbidden for this registry.
   */
  readonly whose: 'host' | 'one' | 'wrong' | 'withheld';
  readonly retryAfter?: string | undefined;
  /** a moment later it may well work */
  readonly again: boolean;
}

const worthAgain: ReadonlySet<number> = new Set([500, 502, 503, 504]);
/** The 4xx statuses that do not concern the requested resource. */
const passing: ReadonlySet<number> = new Set([408, 421, 423, 425]);

/** An answer that is none. */
export function failedAnswer({ url, response: { status, headers } }: GuardedAnswer): ClassifiedFailure {
  const retryAfter = headers['retry-after'];
  const login = status === 401 || status === 403 ? ' It did not accept the credentials, or requires some.' : '';
  const failed = { at: url, message: `${shownUrl(url)} answered with status ${status}.${login}`, again: false };
  // GitHub returns 403 when its rate limit is used up
  if (status === 429 || (status === 403 && (retryAfter !== undefined || headers['x-ratelimit-remaining'] === '0')))
    return { ...failed, whose: 'host', retryAfter };
  if (worthAgain.has(status))
    return retryAfter === undefined
      ? { ...failed, whose: 'one', again: true }
      : { ...failed, whose: 'host', retryAfter };
  return { ...failed, whose: status >= 400 && status < 500 && !passing.has(status) ? 'withheld' : 'wrong' };
}

/** `at`: the last requested URL. `upstream`: the origin that named it. */
export function failedRequest(error: unknown, at: URL, upstream: string, timeoutMs: number): ClassifiedFailure {
  const found = explainFailure(error, at.href, timeoutMs);
  const failed = { at, message: found.message, cause: error, again: false };
  if (found instanceof CredentialsInUrl)
    return {
      ...failed,
      whose: 'wrong',
      message:
        `${upstream} names ${shownUrl(found.url)} with credentials, which this registry does not send. Ask its ` +
        `operator to remove them. Credentials for ${upstream} belong in the configuration of this registry.`,
    };
  if (error instanceof UnusableBody || error instanceof EgressFailure || found.kind === 'denied')
    return { ...failed, whose: 'wrong' };
  const slow = error instanceof Error && (error.name === 'TimeoutError' || /TIMEOUT/.test(codeOf(error)));
  return { ...failed, whose: isOfConnecting(error) ? 'host' : 'one', again: !slow };
}

/** True if no request was sent: no address, no server, or a wrong certificate. */
function isOfConnecting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const syscall = 'syscall' in error ? error.syscall : undefined;
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    /CONNECT_TIMEOUT|CONNREFUSED|UNREACH|ENOTFOUND|EAI_AGAIN|CERT|SELF_SIGNED|ERR_TLS|ERR_SSL/.test(codeOf(error))
  );
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
