// Every error code the service can answer with: one closed table, shown in the OpenAPI document. Statuses are the
// interface's own table, plus the two that only Node's parser can cause before a request exists (408, 431), and those
// of decision D1 (410).

import type { JsonObject } from './json.ts';

interface ErrorRow {
  readonly status: 400 | 401 | 403 | 404 | 408 | 410 | 429 | 431 | 500;
  /** what a person reads when the place that throws has nothing better to say: what is wrong, and what to do */
  readonly message: string;
}

export const errorTable = {
  BAD_REQUEST: { status: 400, message: 'The request could not be understood.' },
  BAD_TARGET: { status: 400, message: 'The request target must be a path that starts with a slash.' },
  DUPLICATE_HEADER: { status: 400, message: 'A header that may stand only once was sent twice.' },
  INVALID_INPUT: {
    status: 400,
    message: 'Something in the request is not as it has to be; details.issues names each place.',
  },
  BODY_TOO_LARGE: { status: 400, message: 'The body of the request is larger than is taken here.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 400,
    message: 'The body must be JSON, with the header Content-Type: application/json.',
  },
  CONFLICT: { status: 400, message: 'That is in conflict with what is there already.' },
  CONFIRMATION_REQUIRED: {
    status: 400,
    message: 'This needs to be confirmed: send it again with ?confirm= and what details.confirm says.',
  },
  NOT_AVAILABLE: { status: 400, message: 'This service does not do that.' },
  KIND_IMMUTABLE: { status: 400, message: 'The kind of a token never changes. Create another token.' },
  TOKEN_REVOKED: { status: 400, message: 'This token was revoked and stays so. Create another.' },
  SETUP_DONE: {
    status: 400,
    message:
      'There is a user already. Ask an admin for an invitation, or run `libretto user create --admin` on the host.',
  },
  INVITATION_INVALID: {
    status: 400,
    message: 'This invitation was used, has ended or never was. Ask an admin for another.',
  },
  LAST_ADMIN: { status: 400, message: 'This is the only active admin. Make another user an admin first.' },
  TWO_FACTOR_STATE: { status: 400, message: 'Two-factor authentication is not in the state that this needs.' },
  SETTING_FIXED: {
    status: 400,
    message: 'This setting is fixed where the service is started, and cannot be changed here.',
  },
  EGRESS_DENIED: {
    status: 400,
    message:
      'The address is not a public one. The setting egress.allow of the service names the ranges that may be reached besides.',
  },
  OUTSIDE_SOURCE_ROOTS: {
    status: 400,
    message: 'The folder lies outside the folders that sourceRoots of the configuration names.',
  },
  ARCHIVE_UNSAFE: { status: 400, message: 'The archive is not safe to publish.' },
  ARTIFACT_INVALID: { status: 400, message: 'The archive is not a package that can be published.' },
  ARTIFACT_MISMATCH: { status: 400, message: 'The composer.json in the archive says something else than the request.' },
  VERSION_EXISTS: { status: 400, message: 'This version is published already, with other content.' },
  VERSION_PURGED: {
    status: 400,
    message:
      'This version, or one with the same content, was purged and is never published again. Publish a new version with other content.',
  },
  UNEXPECTED_BODY: { status: 400, message: 'This request takes no body.' },
  METHOD_NOT_ALLOWED: { status: 400, message: 'This path does not take this method; see the Allow header.' },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    message:
      'A token is required. Put it into auth.json for this host: as the bearer token, or as the password of http-basic beside any user name.',
  },
  TWO_FACTOR_REQUIRED: {
    status: 401,
    message: 'This account needs a code as well: send `code` from the authenticator, or a recovery code.',
  },
  INVALID_CREDENTIALS: { status: 401, message: 'The email, the password or the code is wrong.' },
  SETUP_CODE_INVALID: {
    status: 401,
    message:
      'This is not the setup code, or its hour is over. `libretto serve` prints one when it starts while there is no user.',
  },
  INVALID_TOKEN: {
    status: 401,
    message:
      'This token is not valid: it may be mistyped, expired or revoked. Beside a user name, the token is the password. Ask whoever runs this registry for a new one.',
  },
  INSUFFICIENT_SCOPE: { status: 403, message: 'This token may not do that.' },
  NETWORK_NOT_ALLOWED: {
    status: 403,
    message: 'This token may not be used from where this request comes from. Ask whoever runs this registry.',
  },
  NOT_FOUND: { status: 404, message: 'There is nothing here.' },
  UPSTREAM_REFUSED: {
    status: 404,
    message:
      'What the repository behind this registry offers is not what it has to be, and is not passed on. Ask whoever runs this registry: its log has the reason.',
  },
  VERSION_GONE: {
    status: 410,
    message: 'The operator of this registry purged this version. It will not come back. Require another version.',
  },
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'This token has used up its requests for this hour.' },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    message: 'Too many attempts failed. Try again later; the Retry-After header says when.',
  },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  NOT_READY: { status: 500, message: 'The registry has nothing published yet. Run `libretto build` on its host.' },
  NOT_SERVING: { status: 500, message: 'This server cannot serve installs right now; details say what is missing.' },
  BUILD_BUSY: { status: 500, message: 'Another build is running, and has not ended in time. Try again.' },
  BUILD_FAILED: { status: 500, message: 'The build could not be carried out. The log has the details.' },
  UPSTREAM_UNAVAILABLE: {
    status: 500,
    message: 'What was asked for comes from another server, which does not answer as it should. Try again shortly.',
  },
  TREE_DAMAGED: {
    status: 500,
    message:
      'This file was damaged on the disk of the registry and is not served. Ask the operator to run `libretto verify`.',
  },
  STORAGE_FULL: {
    status: 500,
    message:
      'The disk of this registry is full. Reading still works, changes do not. Ask the operator to free some space.',
  },
  STORAGE_READ_ONLY: {
    status: 500,
    message:
      'The disk of this registry is read-only. Reading still works, changes do not. Ask the operator to look at the disk.',
  },
  STATE_BUSY: { status: 500, message: 'The state is locked by another process. Try again shortly.' },
  OVERLOADED: { status: 500, message: 'The registry has more to do than it can. Try again shortly.' },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something went wrong on our side. The log has the details under this request id.',
  },
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

  constructor(
    code: ErrorCode,
    options: { readonly message?: string; readonly details?: JsonObject; readonly cause?: unknown } = {},
  ) {
    super(
      options.message ?? errorTable[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
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
