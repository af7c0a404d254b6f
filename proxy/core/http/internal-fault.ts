// What a client learns of an error that no part of the server expected. The cause itself goes to the log alone. Pure.

import { storageErrorCodes, storageFaultOf } from '../../../build/contract/storage-fault.ts';
import type { ErrorCode } from '../../../build/contract/errors.ts';

export interface InternalFault {
  readonly code: ErrorCode;
  /** undefined: the message of the code */
  readonly message?: string;
  /** for temporary faults, unless a client that obeys could do its change twice */
  readonly retryAfterSeconds?: number;
  /** false: the part that noticed the fault has logged it */
  readonly isLogged: boolean;
}

/** Temporary faults: they end when the Redis responds again, or after the restore of a backup. */
const lostStates: ReadonlySet<string> = new Set([
  'STATE_UNAVAILABLE',
  'STATE_MISSING',
  'STATE_REPLACED',
  'STATE_CORRUPT',
]);

/** A lack of file descriptors is temporary. Every other unexpected error is a bug or a broken tree. */
export function internalFault(cause: unknown): InternalFault {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EMFILE' || code === 'ENFILE') return { code: 'OVERLOADED', retryAfterSeconds: 1, isLogged: true };
  if (code === 'STATE_BUSY') return { code, retryAfterSeconds: 5, isLogged: true };
  if (typeof code === 'string' && lostStates.has(code)) {
    const message = 'The state is unavailable. Try again shortly.';
    return { code: 'STATE_BUSY', message, retryAfterSeconds: 5, isLogged: true };
  }
  if (code === 'STATE_UNCONFIRMED') {
    const message = 'This change was not confirmed, and may have been made. Look before you try again.';
    return { code: 'STATE_BUSY', message, isLogged: true };
  }
  // the connection to that server logs it once a minute
  if (code === 'UPSTREAM_UNAVAILABLE') return { code, retryAfterSeconds: 5, isLogged: false };
  if (code === 'TREE_DAMAGED') return { code, isLogged: true };
  const fault = storageFaultOf(cause);
  if (fault !== undefined) return { code: storageErrorCodes[fault], retryAfterSeconds: 60, isLogged: true };
  return { code: 'INTERNAL_ERROR', isLogged: true };
}
