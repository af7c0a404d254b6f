// Reads the body of a posted form, within a size and a time.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { HttpRequest } from '../../core/http/http-request.ts';
import { readBody } from '../../core/http/request-body.ts';
import { FormFields, formLimits } from './form-fields.ts';

/** Throws RegistryError for a body of another type, and for one that is too large or too slow. */
export async function readPostedForm(incoming: HttpRequest, sendContinue: () => void): Promise<FormFields> {
  const type = incoming.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new RegistryError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The form was sent in a type that pages here do not use.',
    });
  sendContinue();
  const bytes = await readBody(incoming, { mostBytes: formLimits.mostBytes, longestMs: 30_000 });
  const values = new URLSearchParams(bytes.toString('utf8'));
  if (values.size > formLimits.mostFields)
    throw new RegistryError('BAD_REQUEST', { message: `The form has more than ${formLimits.mostFields} fields.` });
  return new FormFields(values);
}
