// The wait before a refused client may try again: in words for people, in seconds for `Retry-After`. Pure.

import type { RegistryError } from '../../../build/contract/errors.ts';

/** `90 seconds`, and from two minutes on `60 minutes`, rounded up. */
export function waitInWords(seconds: number): string {
  if (seconds === 1) return '1 second';
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/**
 * Seconds, from `details.retry_after_seconds` of the error; undefined: a retry is of no use, or its time is unknown.
 */
export function waitAfter({ code, details }: RegistryError): number | undefined {
  const wait = details['retry_after_seconds'];
  if (typeof wait === 'number') return wait;
  return code === 'STATE_BUSY' || code === 'BUILD_BUSY' ? 5 : undefined;
}
