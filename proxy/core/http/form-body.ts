// Reads the body of a request that is a form, within a size and a time.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { HttpRequest } from './http-request.ts';
import { readBody } from './json-body.ts';

/** The text of the form. Throws RegistryError for a body of another type. */
export async function readFormBody(request: HttpRequest): Promise<string> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new RegistryError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The body must be a form of the type application/x-www-form-urlencoded.',
    });
  return (await readBody(request, { mostBytes: 10_000, longestMs: 30_000 })).toString('utf8');
}
