// One sequence of bytes for clients, with all parts that do not depend on the request made once: headers, validators,
// body. A client with the same bytes gets 304: RFC 9110 §13.2.2, for GET and HEAD. If-None-Match wins over
// If-Modified-Since. Dates are compared by equality: Composer sends back the exact date that it received,
// and a tree restored from a backup must not seem older.

import { bodyOf, type Answer } from './answer.ts';
import { serializeHeaders } from './serialize-headers.ts';

/**
 * private: a shared cache must not send one token's bytes to another. no-cache: clients revalidate before reuse, so
 * that a revocation and a publication take effect immediately. The 304 costs almost nothing.
 */
const cacheControl = 'private, no-cache';
const standardVary = 'Authorization, Accept-Encoding';
export const cacheHeaders: readonly string[] = ['Cache-Control', cacheControl, 'Vary', standardVary];

export interface Representation {
  readonly whole: Answer;
  readonly notModified: Answer;
  /** strong, with its quotes */
  readonly etag: string;
  readonly lastModified: string;
  /** the memory of all parts, the body included */
  readonly weight: number;
}

/** The memory of header lists, validators and objects in addition to body and heads (measured with Node 20). */
const partsBytes = 800;

/**
 * `headers`: those that describe the bytes, Content-Type first. `lastModifiedMs` is cut to whole seconds, the precision
 * of HTTP. `vary`: further request headers that the bytes depend on.
 */
export function representationOf(
  bytes: Buffer,
  headers: readonly string[],
  etag: string,
  lastModifiedMs: number,
  vary?: string,
): Representation {
  const lastModified = httpDate(lastModifiedMs);
  const validators = [
    'ETag',
    etag,
    'Last-Modified',
    lastModified,
    ...(vary === undefined ? cacheHeaders : ['Cache-Control', cacheControl, 'Vary', `${standardVary}, ${vary}`]),
  ];
  const described = [...headers, 'Content-Length', String(bytes.length), ...validators];
  const heads = [serializeHeaders(200, described), serializeHeaders(304, validators)] as const;
  return {
    whole: { status: 200, headers: described, body: bodyOf(bytes), head: heads[0] },
    notModified: { status: 304, headers: validators, body: undefined, head: heads[1] },
    etag,
    lastModified,
    weight: bytes.length + heads[0].length + heads[1].length + partsBytes,
  };
}

/** The same bytes under another date: the body is shared. */
export function redated({ whole, notModified, etag }: Representation, lastModifiedMs: number): Representation {
  const lastModified = httpDate(lastModifiedMs);
  const dated = ({ headers }: Answer): readonly string[] =>
    headers.map((text, at) => (headers[at - 1] === 'Last-Modified' ? lastModified : text));
  const [described, validators] = [dated(whole), dated(notModified)];
  const heads = [serializeHeaders(200, described), serializeHeaders(304, validators)] as const;
  return {
    whole: { ...whole, headers: described, head: heads[0] },
    notModified: { ...notModified, headers: validators, head: heads[1] },
    etag,
    lastModified,
    weight: heads[0].length + heads[1].length + partsBytes,
  };
}

/** The conditional headers of a request, raw. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

export function answerWith(representation: Representation, conditions: Conditions): Answer {
  const { etag, lastModified } = representation;
  return isNotModified(conditions.ifNoneMatch, conditions.ifModifiedSince, etag, lastModified)
    ? representation.notModified
    : representation.whole;
}

/** IMF-fixdate of whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function httpDate(epochMs: number): string {
  return new Date(Math.floor(epochMs / 1000) * 1000).toUTCString();
}

/** True when the client's copy equals the answer. `etag` is our strong validator with its quotes. */
export function isNotModified(
  ifNoneMatch: string | undefined,
  ifModifiedSince: string | undefined,
  etag: string,
  lastModified: string,
): boolean {
  if (ifNoneMatch !== undefined) return ifNoneMatch === etag || matchesAny(ifNoneMatch, etag);
  return ifModifiedSince !== undefined && ifModifiedSince === lastModified;
}

/** Weak comparison (RFC 9110 §8.8.3.2) against a list, or `*`. */
function matchesAny(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  for (const [candidate] of header.matchAll(/"[^"]*"/g)) if (candidate === etag) return true;
  return false;
}
