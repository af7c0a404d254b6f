// The errors of the state as a whole. Each message names the place and the remedy; the process that opens the state
// shows the message and stops.

import { librettoVersion } from '../../../build/contract/libretto-version.ts';
import { newerAdvice } from '../../../build/contract/newer-format.ts';

export type StateErrorCode =
  /** the directory cannot be made, read or written */
  | 'STATE_UNUSABLE'
  /** the file was changed after it was written: truncated, overwritten, or from another program */
  | 'STATE_CORRUPT'
  /** a known place has lost its state: no new state is created there */
  | 'STATE_MISSING'
  /** the data folder belongs to a state in a Redis, and none was named */
  | 'STATE_ELSEWHERE'
  /** another state has replaced the known one */
  | 'STATE_REPLACED'
  /** a newer version of Libretto wrote it */
  | 'STATE_TOO_NEW'
  /** a change could not be made durable (disk full, I/O error); no part of it happened */
  | 'STATE_WRITE_FAILED'
  /** another process holds the lock; nothing was changed, and a retry may succeed */
  | 'STATE_BUSY'
  /** the Redis of the state does not respond; nothing was changed */
  | 'STATE_UNAVAILABLE'
  /** the Redis of the state was lost after a change was sent: it may have happened, and a retry may repeat it */
  | 'STATE_UNCONFIRMED'
  | 'STATE_CLOSED';

/** The ways out of a damaged or missing state, in a data folder and in a Redis. */
export const wayBack =
  'Restore the state of a backup: `libretto restore BACKUP --state-only`. To begin again, without the users ' +
  'and tokens that were in it: `libretto restore --empty --force`.';

export class StateError extends Error {
  readonly code: StateErrorCode;
  /** identity of the state in that place, if known */
  readonly found: string | undefined;

  constructor(
    code: StateErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly found?: string } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'StateError';
    this.code = code;
    this.found = options.found;
  }
}

/** STATE_CORRUPT. `record` names the malformed record, for example `A token record`, and never its content. */
export function malformedRecord(record: string): StateError {
  return new StateError('STATE_CORRUPT', `${record} in the state is malformed. ${wayBack}`);
}

/** STATE_CORRUPT. `name`: of the place. */
export function damagedState(name: string, reason: string): StateError {
  return new StateError('STATE_CORRUPT', `The state in ${name} is damaged: ${reason}. ${wayBack}`);
}

export const malformedFacts = 'its identity or its generation is malformed';

/** STATE_TOO_NEW for a schema above `known`; STATE_CORRUPT for any other. */
export function unreadableSchema(name: string, schema: number | undefined, known: number): StateError {
  if (schema !== undefined && schema > known)
    return new StateError(
      'STATE_TOO_NEW',
      `The state in ${name} was written by a newer version of Libretto (schema ${schema}; Libretto ` +
        `${librettoVersion} reads schema ${known}). ${newerAdvice}.`,
    );
  return new StateError(
    'STATE_CORRUPT',
    `The state in ${name} names no schema this version knows. It is not Libretto's, or it is damaged. ${wayBack}`,
  );
}
