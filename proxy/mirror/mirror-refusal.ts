// Turns failures of the mirror into answers. Only a caller who sees every package reads which upstream is away
// (decision D451); the log has the full message.

import { errorAnswer, type Answer } from '../core/http/answer.ts';
import type { MirrorPreferences } from '../core/protocol/mirrored-packages.ts';
import { PrivateNamesUnknown, UpstreamRefused, UpstreamUnavailable } from './upstream/mirror-failure.ts';

/** Composer prints the first 200 bytes of a body. Throws every other error again. */
export function refusalOf(error: unknown, nowMs: number, { view }: Pick<MirrorPreferences, 'view'>): Answer {
  if (error instanceof PrivateNamesUnknown)
    return errorAnswer('NOT_READY', { message: error.message, headers: ['Retry-After', '5'] });
  if (error instanceof UpstreamRefused)
    return errorAnswer('UPSTREAM_REFUSED', error.forClients === undefined ? {} : { message: error.forClients });
  if (!(error instanceof UpstreamUnavailable)) throw error;
  const seconds = Math.max(1, Math.ceil((error.retryAtMs - nowMs) / 1000));
  const named = view === undefined && error.upstream !== undefined ? ` ${error.upstream}` : '';
  const message =
    `The upstream repository${named} of this package cannot be reached or read now. Try again in ${seconds} s; the log of this ` +
    'registry has the reason.';
  return errorAnswer('UPSTREAM_UNAVAILABLE', {
    message,
    details: { retry_after_seconds: seconds },
    headers: ['Retry-After', String(seconds)],
  });
}
