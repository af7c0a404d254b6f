// Describes a failure of the origin for the log. Clients get UPSTREAM_UNAVAILABLE, a 500 that they may retry.

import { ArchiveMismatch } from '../core/tree/archive-store.ts';

/** The origin cannot be reached, or does not answer as a static server of this tree has to. */
export class OriginFailure extends Error {
  readonly code = 'UPSTREAM_UNAVAILABLE';
}

/**
 * The origin has other bytes than the index names, or none. The caller may read the index again, because it may just
 * have been replaced.
 */
export class OriginMismatch extends ArchiveMismatch {
  override readonly code = 'UPSTREAM_UNAVAILABLE';
}
