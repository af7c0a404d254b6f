// The refusals of token commands and calls, with a message for the caller.

import type { FieldFault } from '../../build/contract/errors.ts';

export type TokenErrorCode =
  | 'TOKEN_UNKNOWN'
  | 'TOKEN_EXISTS'
  | 'TOKEN_REVOKED'
  | 'TOKEN_ROTATED'
  | 'TOKEN_OF_PERSON'
  | 'TOKEN_OF_PUBLISHER'
  | 'GRACE_INVALID'
  | 'DESCRIPTION_INVALID'
  | 'LIMIT_INVALID'
  | 'EXPIRY_INVALID'
  | 'VIEW_INVALID'
  | 'NOTHING_TO_CHANGE';

export class TokenError extends Error {
  readonly code: TokenErrorCode;
  /** for VIEW_INVALID: all faults in the token's limits */
  readonly issues: readonly FieldFault[];

  constructor(code: TokenErrorCode, message: string, issues: readonly FieldFault[] = []) {
    super(message);
    this.issues = issues;
    this.name = 'TokenError';
    this.code = code;
  }
}
