// The reason why an object store did not do what was asked. Messages are for people: they say what to do. They contain
// no signature, token or key, since nothing of an answer but a code and a region is repeated.

import { messageOf } from '../shared/text/message-of.ts';

/** What to do about each kind. */
const advice = {
  unreachable: 'Try again later; if it stays so, check the endpoint of the store and the network.',
  'refused-credentials': 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile or role in their place.',
  'no-bucket': 'Create the bucket, or correct its name or the endpoint.',
  unsupported: 'The store does not know this operation. Use a newer version of it, or another store.',
  damaged: 'The content changed on its way. Try again; if it stays so, look for a faulty proxy or disk.',
};

export type StoreFailureKind = keyof typeof advice | 'forbidden';

export class StoreFailure extends Error {
  readonly kind: StoreFailureKind;

  constructor(kind: StoreFailureKind, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StoreFailure';
    this.kind = kind;
  }
}

/** The publication is made, and what follows it is not complete. */
export class UnfinishedPublication extends StoreFailure {}

/** The same request may have success. It may have had its effect. */
export class PassingFailure extends StoreFailure {}

/** An answer of the store that is no success. */
export interface Refusal {
  readonly status: number;
  /** `AccessDenied`; undefined: the answer has none */
  readonly code: string | undefined;
  /** where the bucket is, if the answer says it */
  readonly region?: string | undefined;
}

/** `what`: its first word is the method of the request. */
function rightFor(what: string): string {
  const [method = ''] = what.split(' ');
  const action = { PUT: 'Put', POST: 'Put', DELETE: 'Delete' }[method] ?? 'Get';
  if (method === 'LIST') return 'Allow s3:ListBucket for the bucket.';
  // without the second right, a missing object is refused too
  return `Allow s3:${action}Object for its objects${action === 'Get' ? ', and s3:ListBucket for the bucket' : ''}.`;
}

const ofCode: Readonly<Record<string, string>> = {
  RequestTimeTooSkewed:
    'The clock of this machine and that of the store differ by more than 15 minutes. Set the clock.',
  ExpiredToken:
    'These credentials have expired. Get new ones and set all three variables, AWS_SESSION_TOKEN too; or use a role, ' +
    'whose credentials are renewed.',
};

const kinds: Readonly<Record<string, StoreFailureKind>> = {
  InvalidAccessKeyId: 'refused-credentials',
  SignatureDoesNotMatch: 'refused-credentials',
  InvalidToken: 'refused-credentials',
  ExpiredToken: 'refused-credentials',
  RequestTimeTooSkewed: 'refused-credentials',
  NoSuchBucket: 'no-bucket',
  NotImplemented: 'unsupported',
  XAmzContentSHA256Mismatch: 'damaged',
  BadDigest: 'damaged',
  401: 'refused-credentials',
  403: 'forbidden',
  405: 'unsupported',
  501: 'unsupported',
};
const passing = 'RequestTimeout ConditionalRequestConflict OperationAborted 429 500 502 503 504'.split(' ');

/** `what`: `GET s3://bucket/key`. */
export function explainRefusal(what: string, { status, code = '', region }: Refusal): StoreFailure {
  const said = `${what}: the store answered ${status}${code && ` ${code}`}.`;
  if ((status >= 300 && status < 400) || code === 'AuthorizationHeaderMalformed') {
    const place = region === undefined ? '' : ` ${region}`;
    const advised = `The bucket is in another region${place}. Set AWS_REGION${region === undefined ? '' : `=${region}`}.`;
    return new StoreFailure('no-bucket', `${said} ${advised}`);
  }
  const kind = kinds[code] ?? kinds[status] ?? 'unreachable';
  const message = `${said} ${ofCode[code] ?? (kind === 'forbidden' ? rightFor(what) : advice[kind])}`;
  return passing.includes(code) || passing.includes(`${status}`)
    ? new PassingFailure(kind, message)
    : new StoreFailure(kind, message);
}

const passingCodes =
  'ECONNRESET ECONNREFUSED ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH EAI_AGAIN ENOTFOUND ' +
  'ERR_STREAM_PREMATURE_CLOSE HPE_INVALID_EOF_STATE CONNECT_TIMEOUT SILENCE_TIMEOUT';

/** True for a fault of the network that may pass. Errors of files are none. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || ('code' in error && passingCodes.split(' ').includes(String(error.code)));
}

/** No whole answer came. */
export function explainLoss(what: string, error: unknown): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const message = `${what}: no whole answer came (${messageOf(error)}). ${advice.unreachable}`;
  return new (isPassing(error) ? PassingFailure : StoreFailure)('unreachable', message, { cause: error });
}
