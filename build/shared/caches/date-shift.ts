// Composer revalidates with a date alone, compared for equality. One published document may be served in several forms
// (another setting, another view). Each form has a date that is earlier by its own number of seconds. So a client that
// has one form never gets a 304 for another form.

import { createHash } from 'node:crypto';

/**
 * Milliseconds, between one second and `seconds`: the same for equal texts, on every host and after every restart, and
 * never into the future.
 */
export function dateShiftMs(text: string | Buffer, seconds: number): number {
  return (1 + (createHash('sha256').update(text).digest().readUInt32BE(0) % seconds)) * 1000;
}

/** 388 days: two forms meet on one date once in 33 million. */
export const viewShiftSeconds = 2 ** 25;
