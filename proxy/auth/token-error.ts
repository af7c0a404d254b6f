// Why a token command or call was refused, in words for whoever gave it.

export type TokenErrorCode = 'TOKEN_UNKNOWN' | 'TOKEN_REVOKED' | 'TOKEN_ROTATED' | 'GRACE_INVALID' | 'DESCRIPTION_INVALID' | 'LIMIT_INVALID' | 'EXPIRY_INVALID' | 'NOTHING_TO_CHANGE';

export class TokenError extends Error {
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, message: string) {
    super(message);
    this.name = 'TokenError';
    this.code = code;
  }
}
