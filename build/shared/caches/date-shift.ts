// Clients of Composer's ask again with a date alone, compared for equality. Where one published document is given out
// in several forms (with another setting, to another view), each form is dated back by seconds of its own: nobody is
// told that what they have of one form is still what another one says.

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
