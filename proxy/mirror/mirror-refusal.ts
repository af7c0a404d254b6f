// Turns failures of the mirror into answers. An answer contains no address of an upstream; the log has the full
// message.

import { errorAnswer, type Answer } from '../http/answer.ts';
import {
  ArchiveRefused,
  PrivateNamesUnknown,
  UpstreamRefused,
  UpstreamUnavailable,
  UpstreamWithholds,
} from './upstream/mirror-failure.ts';

const withheld =
  'The upstream repository lists this version but does not deliver it. Ask the operator of this registry: the ' +
  'log has the reason.';

/** Throws every other error again. */
export function refusalOf(error: unknown, nowMs: number): Answer {
  if (error instanceof PrivateNamesUnknown)
    return errorAnswer('NOT_READY', { message: error.message, headers: ['Retry-After', '5'] });
  if (error instanceof UpstreamRefused) return errorAnswer('UPSTREAM_REFUSED', messageOf(error));
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

function messageOf(error: UpstreamRefused): { readonly message?: string } {
  if (error instanceof ArchiveRefused)
    return { message: `This registry does not pass on the archive that the upstream repository has. ${error.reason}` };
  return error instanceof UpstreamWithholds ? { message: withheld } : {};
}
