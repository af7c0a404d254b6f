// Every error code the service can answer with: one closed table, shown in the OpenAPI document. Statuses are those of
// the interface's table. Two more are caused only by Node's parser before a request exists (408, 431), and decision D1
// adds others (405, 410, 413, 503).

import type { JsonObject } from './json.ts';

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 408 | 410 | 413 | 429 | 431 | 500 | 503;

/** `messages`: code → the default message for a person: the fault and the repair */
function answeredWith<const Status extends ErrorStatus, Code extends string>(
  status: Status,
  messages: Readonly<Record<Code, string>>,
): Readonly<Record<Code, { readonly status: Status; readonly message: string }>> {
  const rows = Object.entries<string>(messages).map(([code, message]) => [code, { status, message }]);
  return Object.fromEntries(rows) as Record<Code, { readonly status: Status; readonly message: string }>;
}

export const errorTable = {
  ...answeredWith(400, {
    BAD_REQUEST: 'The request is malformed.',
    BAD_TARGET: 'The request target must be a path that starts with a slash.',
    DUPLICATE_HEADER: 'The request contains a header twice that may occur only once.',
    INVALID_INPUT: 'Invalid request. details.issues lists each invalid field.',
    BODY_TOO_LARGE: 'The body of the request is too large.',
    UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON, with the header Content-Type: application/json.',
    CONFLICT: 'The request conflicts with an existing object.',
    CONFIRMATION_REQUIRED: 'Confirm this request: repeat it with ?confirm= and the value in details.confirm.',
    NOT_AVAILABLE: 'This server does not support this request.',
    KIND_IMMUTABLE: 'The kind of a token cannot be changed. Create another token.',
    TOKEN_REVOKED: 'This token is permanently revoked. Create another token.',
    SETUP_DONE:
      'A user already exists. Ask an admin for an invitation, or run `libretto user create --admin` on the host.',
    INVITATION_INVALID: 'This invitation is unknown, used or expired. Ask an admin for a new one.',
    LAST_ADMIN: 'This is the only active admin. Make another user an admin first.',
    TWO_FACTOR_STATE: 'Two-factor authentication of this account is in the wrong state for this request.',
    SETTING_FIXED:
      'A flag or environment variable of the server fixes this setting. Change it there and restart the server.',
    EGRESS_DENIED: 'The address is not public. The operator can allow its range in egress.allow of libretto.json.',
    OUTSIDE_SOURCE_ROOTS: 'The folder is outside the folders in the setting sourceRoots.',
    ARCHIVE_UNSAFE: 'The archive is not safe to publish.',
    ARTIFACT_INVALID: 'The archive does not contain a package that can be published.',
    ARTIFACT_MISMATCH: 'The composer.json in the archive contradicts the request.',
    VERSION_EXISTS: 'This version is already published with other content. Publish a new version.',
    VERSION_PURGED:
      'This version or its content was purged, and cannot be published again. Publish a new version with other ' +
      'content.',
    CLIENT_NOT_ALLOWED:
      'The policy of this registry does not allow this version of Composer. Update it with `composer self-update`.',
    UNEXPECTED_BODY: 'This request must not have a body.',
    METHOD_NOT_ALLOWED: 'This path does not support this method. The Allow header lists the supported methods.',
  }),
  ...answeredWith(401, {
    AUTHENTICATION_REQUIRED:
      'A token is required. Run `composer config --auth bearer.HOST TOKEN`, or use the token as the http-basic ' +
      'password with any user name.',
    TWO_FACTOR_REQUIRED:
      'This account requires a second factor: send `code` from the authenticator, or a recovery code.',
    INVALID_CREDENTIALS: 'The email, the password or the code is wrong.',
    SETUP_CODE_INVALID:
      'The setup code is wrong or older than an hour. While no user exists, `libretto serve` prints a new code ' +
      'when it starts.',
    INVALID_TOKEN:
      'This token is mistyped, expired or revoked. With http-basic, the token is the password. Ask the ' +
      'operator of this registry for a new token.',
    HOOK_PROOF_REQUIRED: 'This webhook has no proof. Set the secret of this hook in the settings of the webhook.',
  }),
  ...answeredWith(403, {
    HOOK_PROOF_INVALID:
      'The proof of this webhook fits no secret of this address. Compare the address with `libretto repository hook ID`; ' +
      'with --rotate it prints a new secret.',
    ID_TOKEN_INVALID: 'The ID token is not accepted. details.mismatches says why.',
    ID_TOKEN_USED: 'This ID token was exchanged already, and works once. Ask the CI system for a new one in this job.',
    PUBLISHER_MISMATCH:
      'No trusted publisher accepts this job. details.mismatches names each claim and what was expected.',
    INSUFFICIENT_SCOPE: 'This token does not permit this request.',
    NETWORK_NOT_ALLOWED: 'This token may not be used from this network. Ask the operator of this registry.',
  }),
  ...answeredWith(404, {
    NOT_FOUND: 'Not found. Check the address and the name.',
    UPSTREAM_REFUSED:
      'The upstream repository sent invalid data, which this registry does not pass on. Ask its operator: the ' +
      'log has the reason.',
  }),
  ...answeredWith(405, {
    POST_REQUIRED: 'This address receives webhooks. Send them with POST.',
  }),
  ...answeredWith(410, {
    VERSION_GONE: 'The operator of this registry purged this version permanently. Require another version.',
    VERSION_BLOCKED: 'The policy of this registry blocks this version. Require another version, or ask its operator.',
  }),
  ...answeredWith(408, {
    REQUEST_TIMEOUT: 'The request arrived too slowly. Try again.',
  }),
  ...answeredWith(413, {
    HOOK_TOO_LARGE: 'The body of this webhook is larger than 25 MB.',
  }),
  ...answeredWith(429, {
    RATE_LIMIT_EXCEEDED: 'This token has used all its requests for this hour.',
    TOO_MANY_ATTEMPTS: 'Too many attempts failed. Try again after the time in the Retry-After header.',
  }),
  ...answeredWith(431, {
    HEADERS_TOO_LARGE: 'The request headers are too large.',
  }),
  ...answeredWith(500, {
    NOT_READY: 'Nothing is published yet. Run `libretto build` on the host of the registry.',
    NOT_SERVING: 'This server cannot serve installs now; details lists the reasons.',
    BUILD_BUSY: 'Another build is still running. Try again later.',
    BUILD_FAILED: 'The build failed. The log of the registry has the reason.',
    UPSTREAM_UNAVAILABLE: 'This request needs another server, which does not answer correctly. Try again shortly.',
    TREE_DAMAGED:
      'This file is damaged on the disk of the registry, and is not served. Ask the operator to run `libretto verify`.',
    STORAGE_FULL:
      'The disk of this registry is full. Reading works; changes fail. Ask the operator to free disk space.',
    STORAGE_READ_ONLY:
      'The disk of this registry is read-only. Reading works; changes fail. Ask the operator to check the disk.',
    STATE_BUSY:
      'Another server or command of this registry writes to the state. This change waited up to 5 seconds, and was ' +
      'not made. Try again in 5 seconds. If this stays, the log of the server names the process.',
    OVERLOADED: 'The registry is overloaded. Try again shortly.',
    INTERNAL_ERROR: 'Internal error. The log of the registry has the details under this request id.',
  }),
  ...answeredWith(503, {
    HOOK_NOT_KEPT:
      'The registry cannot keep this webhook now, so it asks for nothing. Send it again after the time in the ' +
      'Retry-After header.',
  }),
};

export type ErrorCode = keyof typeof errorTable;

/** The body of every answer that is an error. */
export interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode;
  readonly details: JsonObject;
}

/** The one error class that may cross a border. Every other thrown error is a bug and becomes INTERNAL_ERROR. */
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

  get status(): ErrorStatus {
    return errorTable[this.code].status;
  }

  body(): ErrorBody {
    return { error: this.message, code: this.code, details: this.details };
  }
}

/** For `.catch`: undefined in place of a RegistryError with this code. */
export function undefinedIf(code: ErrorCode) {
  return (error: unknown): undefined => {
    if (!(error instanceof RegistryError && error.code === code)) throw error;
  };
}

/** A fault of a field. */
export interface FieldFault {
  /** `packages.3` */
  readonly path: string;
  /** completes "The value …": `must be one line of 1 to 100 characters` */
  readonly message: string;
}

/** INVALID_INPUT with every fault. */
export function invalidInput(...issues: readonly FieldFault[]): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    details: { issues: issues.map(({ path, message }) => ({ path, message })) },
  });
}
