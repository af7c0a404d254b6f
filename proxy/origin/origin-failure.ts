// What went wrong with the origin, in words for the log. To clients it is UPSTREAM_UNAVAILABLE, a 500 that is worth
// trying again.

import { ArchiveMismatch } from '../tree/archive-store.ts';

/** The origin cannot be reached, or does not answer as a static server of this tree has to. */
export class OriginFailure extends Error {
  readonly code = 'UPSTREAM_UNAVAILABLE';
}

/**
 * The origin has other bytes than the index says, or none. Whoever asked may look at the index again: it may just have
 * been replaced.
 */
export class OriginMismatch extends ArchiveMismatch {
  override readonly code = 'UPSTREAM_UNAVAILABLE';
}
