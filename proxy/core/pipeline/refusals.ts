// The answers that refuse a request, with advice for the person who reads them.

import { errorAnswer, type Answer } from '../http/answer.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { internalFault } from '../http/internal-fault.ts';
import { waitInWords } from '../http/wait-before-retry.ts';
import type { Count } from '../limits/counters.ts';
import { retryAfterSeconds } from '../limits/headers.ts';

/**
 * A token is accepted as a bearer and as the password of Basic, so both are offered: one header field for each, since a
 * challenge is a list itself (RFC 9110 §11.6.1). RFC 6750 §3.1: no error attribute without a token in the request. RFC
 * 7617 §2.1: user and password are UTF-8. A script in a browser is offered Bearer alone: for Basic the browser would
 * ask its user for a password. Browsers mark such requests over https only; otherwise the explorer itself prevents the
 * prompt (manage/explorer/page.ts).
 */
export function challenge(outcome: 'absent' | 'invalid', request: HttpRequest): Answer {
  const forComposer = isComposer(request);
  const basic =
    request.headers['sec-fetch-dest'] === 'empty'
      ? []
      : ['WWW-Authenticate', 'Basic realm="libretto", charset="UTF-8"'];
  const headers = (bearer: string): readonly string[] => ['WWW-Authenticate', bearer, ...basic];
  return outcome === 'absent'
    ? errorAnswer('AUTHENTICATION_REQUIRED', { forComposer, headers: headers('Bearer realm="libretto"') })
    : errorAnswer('INVALID_TOKEN', {
        forComposer,
        headers: headers('Bearer realm="libretto", error="invalid_token"'),
        ...(/^\s*(?:bearer|basic)?\s*$/i.test(request.headers.authorization ?? '') && { message: emptyToken }),
      });
}

/** A job of a fork, or of an unprotected branch, often gets no secrets. */
const emptyToken =
  'The Authorization header contains no token. In a CI job, check that the variable with the token is set for this job.';

export function limitExceeded(limit: number, count: Count, nowMs: number, request: HttpRequest): Answer {
  const seconds = retryAfterSeconds(count, nowMs);
  return errorAnswer('RATE_LIMIT_EXCEEDED', {
    message:
      `This token has used all its ${limit} ${limit === 1 ? 'request' : 'requests'} for this hour. It works ` +
      `again in ${waitInWords(seconds)}. The operator of this registry can raise the limit.`,
    details: {
      limit,
      retry_after_seconds: seconds,
      reset_at: new Date(Math.ceil(count.resetAtMs / 1000) * 1000).toISOString(),
    },
    headers: ['Retry-After', String(seconds)],
    forComposer: isComposer(request),
  });
}

/** The message names no network, because the finder of a token must not learn the allowed ones. */
export function networkNotAllowed(request: HttpRequest): Answer {
  return errorAnswer('NETWORK_NOT_ALLOWED', { forComposer: isComposer(request) });
}

export function tooManyGuesses(seconds: number, request: HttpRequest): Answer {
  return errorAnswer('TOO_MANY_ATTEMPTS', {
    message: `This address sent too many invalid tokens. Try again in ${waitInWords(seconds)}.`,
    details: { retry_after_seconds: seconds },
    headers: ['Retry-After', String(seconds)],
    forComposer: isComposer(request),
  });
}

export function sessionOnProtocol(request: HttpRequest): Answer {
  return errorAnswer('INSUFFICIENT_SCOPE', {
    message: 'This is a session of the management API. Use an API token to read packages.',
    forComposer: isComposer(request),
  });
}

export function notFound(): Answer {
  return errorAnswer('NOT_FOUND');
}

export function methodNotAllowed(allowed = 'GET, HEAD'): Answer {
  return errorAnswer('METHOD_NOT_ALLOWED', { headers: ['Allow', allowed] });
}

/** The log has the cause under the id. */
export function internalError(requestId: string, cause: unknown): Answer {
  const { code, message, retryAfterSeconds: wait, isLogged } = internalFault(cause);
  return errorAnswer(code, {
    ...(message !== undefined && { message }),
    details: { request_id: requestId },
    ...(wait !== undefined && { headers: ['Retry-After', String(wait)] }),
    ...(isLogged && { cause }),
  });
}

function isComposer(request: HttpRequest): boolean {
  return request.headers['user-agent']?.startsWith('Composer/') === true;
}
