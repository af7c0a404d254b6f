// A build goes on without a state that is damaged or missing: a lost state must not stop publications. It does not go
// on without an intact state, because it would publish without that state's settings and registered repositories: the
// state of a newer version, and a state in a Redis that the command does not name.

import { StateError } from '../../proxy/core/state/state-error.ts';

const intact: ReadonlySet<string> = new Set(['STATE_TOO_NEW', 'STATE_ELSEWHERE']);

/** True for the error of a state that a build goes on without. */
export function isLost(error: unknown): error is StateError {
  return error instanceof StateError && !intact.has(error.code);
}
