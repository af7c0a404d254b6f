// Checks signatures of version 4 to the letter, by an implementation of its own that shares nothing with the product's:
// from the raw request line, the raw headers and the bytes of the body that arrived.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface KnownKeys {
  readonly secret: string;
  readonly token?: string;
  /** epoch milliseconds, by the store's clock */
  readonly expiresMs?: number;
}

export interface SignatureRules {
  readonly region: string;
  /** by access key */
  readonly keys: ReadonlyMap<string, KnownKeys>;
  /** the store's clock */
  readonly now: () => number;
}

/** An answer of the store that is no success. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** further elements of the answer */
  readonly details: Readonly<Record<string, string>>;

  constructor(status: number, code: string, details: Readonly<Record<string, string>> = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

interface Claim {
  readonly accessKey: string;
  readonly day: string;
  readonly region: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly date: string;
  readonly token: string | undefined;
  readonly payload: string;
  /** without the signature */
  readonly query: readonly (readonly [string, string])[];
}

const skewMs = 15 * 60_000;
const mostSeconds = 604_800;

/** Throws Refused. */
export function checkSignature(request: IncomingMessage, body: Buffer, rules: SignatureRules): void {
  const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const pairs = parseQuery(query);
  const isPresigned = pairs.some(([name]) => name === 'X-Amz-Signature');
  const claim = isPresigned ? presignedClaim(pairs, rules) : headerClaim(request, pairs);
  const known = rules.keys.get(claim.accessKey);
  if (known === undefined) throw new Refused(403, 'InvalidAccessKeyId', { AWSAccessKeyId: claim.accessKey });
  if (claim.token !== known.token) throw new Refused(400, 'InvalidToken', { 'Token-0': claim.token ?? '' });
  if (known.expiresMs !== undefined && known.expiresMs <= rules.now())
    throw new Refused(400, 'ExpiredToken', { 'Token-0': claim.token ?? '' });
  if (claim.region !== rules.region) throw new Refused(400, 'AuthorizationHeaderMalformed', { Region: rules.region });
  if (!isPresigned && Math.abs(timeOf(claim.date) - rules.now()) > skewMs)
    throw new Refused(403, 'RequestTimeTooSkewed');
  if (!claim.date.startsWith(claim.day)) throw mismatch(claim, 'the day of the scope is not that of the date');
  checkSignedHeaders(request, claim);
  const canonical = [
    request.method ?? '',
    canonicalPath(path, claim),
    claim.query.map(([name, value]) => `${name}=${value}`).join('&'),
    ...claim.signedHeaders.map((name) => `${name}:${headerText(request, name)}`),
    '',
    claim.signedHeaders.join(';'),
    claim.payload,
  ].join('\n');
  const scope = `${claim.day}/${claim.region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', claim.date, scope, sha256(canonical)].join('\n');
  const day = hmac(`AWS4${known.secret}`, claim.day);
  const key = hmac(hmac(hmac(day, claim.region), 's3'), 'aws4_request');
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(claim.signature, 'hex'))) throw mismatch(claim, canonical);
  if (!isPresigned && sha256(body) !== claim.payload) throw new Refused(400, 'XAmzContentSHA256Mismatch');
}

function headerClaim(request: IncomingMessage, pairs: Claim['query']): Claim {
  const authorization = request.headers.authorization;
  if (authorization === undefined) throw new Refused(403, 'AccessDenied');
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (match === null) throw new Refused(400, 'AuthorizationHeaderMalformed');
  const [, accessKey = '', day = '', region = '', signed = '', signature = ''] = match;
  const payload = single(request, 'x-amz-content-sha256') ?? '';
  // the product promises the digest of each body, never UNSIGNED-PAYLOAD
  if (!/^[0-9a-f]{64}$/.test(payload)) throw new Refused(400, 'InvalidRequest');
  const token = single(request, 'x-amz-security-token');
  const date = single(request, 'x-amz-date') ?? '';
  return { accessKey, day, region, signedHeaders: signed.split(';'), signature, date, token, payload, query: pairs };
}

function presignedClaim(pairs: Claim['query'], { now }: SignatureRules): Claim {
  const value = (name: string): string | undefined => {
    const found = pairs.filter(([one]) => one === name);
    if (found.length > 1) throw new Refused(400, 'AuthorizationQueryParametersError');
    return found[0] === undefined ? undefined : decodeURIComponent(found[0][1]);
  };
  const [accessKey = '', day = '', region = '', service, end] = (value('X-Amz-Credential') ?? '').split('/');
  const [seconds, date] = [Number(value('X-Amz-Expires')), value('X-Amz-Date') ?? ''];
  const isWhole = value('X-Amz-Algorithm') === 'AWS4-HMAC-SHA256' && service === 's3' && end === 'aws4_request';
  if (!isWhole || !Number.isInteger(seconds) || seconds < 1 || seconds > mostSeconds)
    throw new Refused(400, 'AuthorizationQueryParametersError');
  const age = now() - timeOf(date);
  if (age > seconds * 1000 || age < -skewMs) throw new Refused(403, 'AccessDenied');
  return {
    accessKey,
    day,
    region,
    date,
    token: value('X-Amz-Security-Token'),
    payload: 'UNSIGNED-PAYLOAD',
    signedHeaders: (value('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: value('X-Amz-Signature') ?? '',
    query: pairs.filter(([name]) => name !== 'X-Amz-Signature'),
  };
}

function checkSignedHeaders(request: IncomingMessage, claim: Claim): void {
  const { signedHeaders } = claim;
  if (signedHeaders.join(';') !== signedHeaders.toSorted().join(';')) throw mismatch(claim, 'unsorted SignedHeaders');
  if (!signedHeaders.includes('host')) throw mismatch(claim, 'host is not signed');
  for (const name of Object.keys(request.headers)) {
    if ((name.startsWith('x-amz-') || name.startsWith('content-type')) && !signedHeaders.includes(name))
      throw mismatch(claim, `${name} is not signed`);
  }
}

/** The path as it came: some stores sign it unchanged, others decode and encode it. Both must get the same. */
function canonicalPath(path: string, claim: Claim): string {
  const again = path.split('/').map((segment) => strictlyEncoded(decodeURIComponent(segment)));
  if (again.join('/') !== path) throw mismatch(claim, `${path} is not encoded as in a signature`);
  return path;
}

/** Sorted, in the encoding of signatures. A `+` is a space for some stores, and a plus for others. */
function parseQuery(query: string): (readonly [string, string])[] {
  if (query === '') return [];
  if (query.includes('+')) throw new Refused(400, 'InvalidURI');
  const pairs = query.split('&').map((pair): readonly [string, string] => {
    const [name = '', value = ''] = pair.split(/=(.*)/s).map((text) => strictlyEncoded(decodeURIComponent(text)));
    return [name, value];
  });
  return pairs.sort((one, other) => Buffer.compare(Buffer.from(one.join('=')), Buffer.from(other.join('='))));
}

function headerText(request: IncomingMessage, name: string): string {
  return (single(request, name) ?? '').trim().replace(/ +/g, ' ');
}

function single({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const values = headersDistinct[name] ?? [];
  if (values.length > 1) throw new Refused(400, 'InvalidRequest');
  return values[0];
}

/** RFC 3986, over the bytes of UTF-8. */
function strictlyEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function timeOf(date: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  if (second === undefined) throw new Refused(403, 'AccessDenied');
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** As AWS does, it repeats what must not be in a message of the product. */
function mismatch(claim: Claim, why: string): Refused {
  return new Refused(403, 'SignatureDoesNotMatch', {
    AWSAccessKeyId: claim.accessKey,
    SignatureProvided: claim.signature,
    CanonicalRequest: why,
    'Token-0': claim.token ?? '',
  });
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
