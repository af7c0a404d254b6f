// Turns failures of the mirror into answers. An answer contains no address of an upstream; the log has the full
// message.

import { errorAnswer, type Answer } from '../http/answer.ts';
import { PrivateNamesUnknown, UpstreamRefused, UpstreamUnavailable } from './upstream/mirror-failure.ts';

/** Throws every other error again. */
export function refusalOf(error: unknown, nowMs: number): Answer {
  if (error instanceof PrivateNamesUnknown)
    return errorAnswer('NOT_READY', { message: error.message, headers: ['Retry-After', '5'] });
  if (error instanceof UpstreamRefused)
    return errorAnswer('UPSTREAM_REFUSED', error.forClients === undefined ? {} : { message: error.forClients });
  if (!(error instanceof UpstreamUnavailable)) throw error;
  const seconds = Math.max(1, Math.ceil((error.retryAtMs - nowMs) / 1000));
  const message =
    `The upstream repository of this package cannot be reached now. Try again in ${seconds} s; the log of this ` +
    'registry has the reason.';
  return errorAnswer('UPSTREAM_UNAVAILABLE', {
    message,
    details: { retry_after_seconds: seconds },
    headers: ['Retry-After', String(seconds)],
  });
}
