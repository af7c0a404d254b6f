// Refuses requests that are wrong for every target. `admit` comes first: it refuses requests that Node's parser accepts
// but no honest client sends, such as smuggled requests or two identities. `admit` closes the connection, because the
// start of the next request is ambiguous. No part of such a request is trusted, its token included. `unwanted` refuses
// requests whose bounds are clear. The server authenticates and counts these before the refusal.

import { errorAnswer, type Answer } from './answer.ts';
import { isStreamRequest, type HttpRequest, type StreamRequest } from './http-request.ts';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { defaultServerLimits } from './server-limits.ts';

const maxHeaders = 100;

/** Undefined for an admitted request. */
export function admit(request: HttpRequest): Answer | undefined {
  const { url = '', rawHeaders, headers } = request;
  if (url.charCodeAt(0) !== 0x2f) return refuse('BAD_TARGET');
  if (rawHeaders.length > 2 * maxHeaders)
    return refuse('BAD_REQUEST', `The request has more than ${maxHeaders} headers.`);
  const duplicate = duplicateHeader(rawHeaders);
  if (duplicate !== undefined)
    return refuse('DUPLICATE_HEADER', `The header ${duplicate} was sent twice; it may occur only once.`);
  if (isStreamRequest(request)) {
    const fault = streamFault(request);
    return fault === undefined ? undefined : refuse(fault.code, fault.message);
  }
  if (headers.host === undefined && request.httpVersion !== '1.0')
    return refuse('BAD_REQUEST', 'The request has no Host header.');
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    return refuse('BAD_REQUEST', 'The only Transfer-Encoding supported is "chunked".');
  return undefined;
}

/**
 * Refuses an admitted request with an unknown expectation, or with a body for a route that only reads. Undefined for
 * all others.
 */
export function unwanted(request: HttpRequest): Answer | undefined {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return errorAnswer('BAD_REQUEST', { message: 'The only expectation supported is "100-continue".' });
  if ((request.method === 'GET' || request.method === 'HEAD') && hasBody(request))
    return errorAnswer('UNEXPECTED_BODY');
  return undefined;
}

/** True when a body follows the headers. */
export function hasBody(request: HttpRequest): boolean {
  const length = request.headers['content-length'];
  if (isStreamRequest(request)) return length !== '0' && !request.stream.endAfterHeaders;
  return (length !== undefined && Number(length) !== 0) || request.headers['transfer-encoding'] !== undefined;
}

const single: ReadonlySet<string> = new Set(['host', 'authorization', 'transfer-encoding', 'content-length']);

/**
 * Node silently uses the first of two headers, and a reverse proxy may have checked the last. Compares by length first:
 * this runs for every header.
 */
function duplicateHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? '';
    if (raw.length !== 4 && raw.length !== 13 && raw.length !== 14 && raw.length !== 17) continue;
    const name = raw.toLowerCase();
    if (!single.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}

function refuse(code: ErrorCode, message?: string): Answer {
  return errorAnswer(code, { ...(message === undefined ? {} : { message }), headers: ['Connection', 'close'] });
}

interface StreamFault {
  readonly code: 'BAD_REQUEST' | 'HEADERS_TOO_LARGE';
  readonly message?: string;
}

/**
 * The fault of an HTTP/2 request that is wrong for every target, beyond the checks of nghttp2: a repeated or missing
 * pseudo header, or a target that HTTP/1.1 refuses. Undefined for an admitted request.
 */
function streamFault({ headers, rawHeaders, url = '' }: StreamRequest): StreamFault | undefined {
  if (headerBytes(rawHeaders) > defaultServerLimits.maxHeaderBytes) return { code: 'HEADERS_TOO_LARGE' };
  if (/[^\u0021-\u007e]/.test(url))
    // node:http's parser refuses it
    return { code: 'BAD_REQUEST', message: 'The path contains a character that must be percent-encoded.' };
  const authority = headers[':authority'] as string | undefined;
  if (authority === undefined && headers.host === undefined)
    return { code: 'BAD_REQUEST', message: 'The request has neither :authority nor Host.' };
  // RFC 9113 §8.3.1: a reverse proxy may have checked either of the two
  if (authority !== undefined && headers.host !== undefined && authority !== headers.host)
    return { code: 'BAD_REQUEST', message: 'The request has a :authority and another Host.' };
  return undefined;
}

/** The size of the headers as in HTTP/1.1, one line each. */
function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}
