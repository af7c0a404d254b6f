// Refuses HTTP/2 requests that are wrong for every target, beyond the checks of nghttp2. The refused requests have
// connection-specific headers, repeated or missing pseudo headers, or a body of another length than announced. HTTP/2
// therefore admits no request that HTTP/1.1 refuses.

import { defaultServerLimits } from './server-limits.ts';
import type { StreamRequest } from './http-request.ts';

export interface StreamFault {
  readonly code: 'BAD_REQUEST' | 'HEADERS_TOO_LARGE';
  readonly message?: string;
}

/** Undefined for an admitted request. */
export function streamFault({ headers, rawHeaders, url = '' }: StreamRequest): StreamFault | undefined {
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
