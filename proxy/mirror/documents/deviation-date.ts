// The Last-Modified of a mirrored document that differs from what its upstream serves.

import { createHash } from 'node:crypto';

const noDeviations = JSON.stringify([null, [], [], []]);

/**
 * Last-Modified is the upstream's own, and a second later for each added checksum (Mirrored.learned), so that clients
 * fetch the document again. A document that differs from the upstream's because of the settings has an earlier date. Its
 * shift follows from the differences (as in root-document.ts): the same on every host and after every restart.
 */
export function shiftMs(deviations: string): number {
  return deviations === noDeviations
    ? 0
    : (1 + (createHash('sha256').update(deviations).digest().readUInt32BE(0) % 86_399)) * 1000;
}
