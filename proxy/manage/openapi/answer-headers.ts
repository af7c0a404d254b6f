// The headers of answers as the document describes them.

import { z } from 'zod';
import type { ResponseObject } from './schema.ts';

const header = (description: string, example: string | number, required = false): object => ({
  description,
  required,
  schema: { type: typeof example === 'number' ? 'integer' : 'string', example },
});

/** Referred to by name, in `components.headers`. */
export const headerComponents = {
  'X-RateLimit-Limit': header(
    'requests per hour; every answer to an API token with a limit has these three headers',
    1000,
  ),
  'X-RateLimit-Remaining': header('remaining requests in this hour', 987),
  'X-RateLimit-Reset': header('when the hour ends, in seconds since 1970', 1_795_254_300),
  'WWW-Authenticate': header(
    'the challenge (RFC 6750); with `error="invalid_token"` if credentials were sent',
    'Bearer realm="libretto"',
    true,
  ),
  'Retry-After': header('the number of seconds to wait before the next try', 60, true),
  'Retry-After-Sometimes': header('the number of seconds to wait before the next try; absent if unknown', 5),
  ETag: header(
    'a strong validator of these bytes; send it back as `If-None-Match`',
    '"3f2a1b0c9d8e7f60123456789abcdef0"',
    true,
  ),
  'Last-Modified': header(
    'send it back as `If-Modified-Since`; compared by equality',
    'Sat, 21 Nov 2026 09:30:00 GMT',
    true,
  ),
  'ETag-Of-Archive': header(
    'a strong validator of these bytes; send it back as `If-None-Match`. Absent while a mirrored archive is ' +
      'passed on from its upstream',
    '"3f2a1b0c9d8e7f60123456789abcdef0"',
  ),
  'Last-Modified-Of-Archive': header(
    'send it back as `If-Modified-Since`; compared by equality. Absent while a mirrored archive is passed on ' +
      'from its upstream',
    'Sat, 21 Nov 2026 09:30:00 GMT',
  ),
  'Last-Modified-Of-Feed': header(
    'the last change of a version in the feed, for information: only the `ETag` is compared',
    'Sat, 21 Nov 2026 09:30:00 GMT',
    true,
  ),
  'Accept-Ranges': header('archives are always sent completely', 'none', true),
} as const;

const refer = (name: keyof typeof headerComponents): { readonly $ref: string } => ({
  $ref: `#/components/headers/${name}`,
});
const rateLimit = {
  'X-RateLimit-Limit': refer('X-RateLimit-Limit'),
  'X-RateLimit-Remaining': refer('X-RateLimit-Remaining'),
  'X-RateLimit-Reset': refer('X-RateLimit-Reset'),
};

/** The headers of an answer that can be revalidated. */
export const validators = { ETag: refer('ETag'), 'Last-Modified': refer('Last-Modified') };
export const archiveHeaderRefs = {
  ETag: refer('ETag-Of-Archive'),
  'Last-Modified': refer('Last-Modified-Of-Archive'),
  'Accept-Ranges': refer('Accept-Ranges'),
};
export const feedHeaderRefs = { ETag: refer('ETag'), 'Last-Modified': refer('Last-Modified-Of-Feed') };
export const etagOnly = { ETag: refer('ETag') };

/** A request with a validator, as a route takes it. */
export const conditions = z.object({
  'if-none-match': z
    .string()
    .optional()
    .meta({ description: 'an earlier `ETag`: if the bytes are still the same, the answer is 304' }),
});

/** Adds the headers of the status, for any operation. `counted`: API tokens are accepted. */
export function withStatusHeaders(response: ResponseObject, status: string, counted: boolean): ResponseObject {
  const headers = {
    ...response.headers,
    ...(status === '401' ? { 'WWW-Authenticate': refer('WWW-Authenticate') } : {}),
    ...(status === '429' || status === '503' ? { 'Retry-After': refer('Retry-After') } : {}),
    ...(status === '500' ? { 'Retry-After': refer('Retry-After-Sometimes') } : {}),
    ...(counted && status !== '408' && status !== '431' ? rateLimit : {}),
  };
  return Object.keys(headers).length === 0 ? response : { ...response, headers };
}
