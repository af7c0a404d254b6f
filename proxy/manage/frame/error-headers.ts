// Adds the headers that an error needs: the challenge of a 401 (RFC 6750 §3), the wait before a retry, the allowed
// methods.

import type { RegistryError } from '../../../build/contract/errors.ts';
import { waitAfter } from '../../core/http/wait-before-retry.ts';

/**
 * A flat list: name, value, name, value. `details.retry_after_seconds` has the wait in seconds, `details.allow` the
 * methods.
 */
export function errorHeaders(error: RegistryError): readonly string[] {
  const { code, status, details } = error;
  const wait = waitAfter(error);
  return [
    ...(status === 401
      ? ['WWW-Authenticate', `Bearer realm="libretto"${code === 'INVALID_TOKEN' ? ', error="invalid_token"' : ''}`]
      : []),
    ...(wait === undefined ? [] : ['Retry-After', String(wait)]),
    ...(code === 'METHOD_NOT_ALLOWED' ? ['Allow', String(details['allow'])] : []),
  ];
}
