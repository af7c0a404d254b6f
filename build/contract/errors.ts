// Every error code the service can answer with: one closed table, shown in the OpenAPI document. Statuses are the interface's own table,
// plus the two that only Node's parser can cause before a request exists (408, 431).

import type { JsonObject } from './json.ts';

interface ErrorRow {
  readonly status: 400 | 401 | 403 | 404 | 408 | 429 | 431 | 500;
  /** what a person reads when the place that throws has nothing better to say: what is wrong, and what to do */
  readonly message: string;
}

export const errorTable = {
  BAD_REQUEST: { status: 400, message: 'The request could not be understood.' },
  BAD_TARGET: { status: 400, message: 'The request target must be a path that starts with a slash.' },
  DUPLICATE_HEADER: { status: 400, message: 'A header that may stand only once was sent twice.' },
  UNEXPECTED_BODY: { status: 400, message: 'This request takes no body.' },
  METHOD_NOT_ALLOWED: { status: 400, message: 'This path does not take this method; see the Allow header.' },
  AUTHENTICATION_REQUIRED: { status: 401, message: 'A token is required. Put it into auth.json as a bearer token for this host.' },
  INVALID_TOKEN: { status: 401, message: 'This token is not valid: it may be mistyped, expired or revoked. Ask whoever runs this registry for a new one.' },
  INSUFFICIENT_SCOPE: { status: 403, message: 'This token may not do that.' },
  NOT_FOUND: { status: 404, message: 'There is nothing here.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'This token has used up its requests for this hour.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  NOT_READY: { status: 500, message: 'The registry has nothing published yet. Run `libretto build` on its host.' },
  OVERLOADED: { status: 500, message: 'The registry has more to do than it can. Try again shortly.' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side. The log has the details under this request id.' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** The body of every answer that is an error. */
export interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode;
  readonly details: JsonObject;
}

/** The one error class that may cross a border; everything else that is thrown is a bug and becomes INTERNAL_ERROR. */
export class RegistryError extends Error {
  readonly code: ErrorCode;
  readonly details: JsonObject;

  constructor(code: ErrorCode, options: { readonly message?: string; readonly details?: JsonObject; readonly cause?: unknown } = {}) {
    super(options.message ?? errorTable[code].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RegistryError';
    this.code = code;
    this.details = options.details ?? {};
  }

  get status(): ErrorRow['status'] {
    return errorTable[this.code].status;
  }

  body(): ErrorBody {
    return { error: this.message, code: this.code, details: this.details };
  }
}
