// Checks the fields that users enter about themselves.

import { RegistryError } from '../../build/contract/errors.ts';
import { parseEmail, type Email } from './email.ts';

/** Throws INVALID_INPUT. */
export function checkedEmail(text: string): Email {
  const email = parseEmail(text);
  if (email === undefined) throw invalid('email', 'is not an email address');
  return email;
}

/** The trimmed name; an empty one becomes null. Throws INVALID_INPUT. */
export function checkedName(text: string | null): string | null {
  const name = text?.trim() ?? '';
  if (name.length > 200 || /\p{Cc}/u.test(name)) throw invalid('name', 'must be one line of at most 200 characters');
  return name === '' ? null : name;
}

function invalid(path: string, message: string): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    message: `The ${path} ${message}.`,
    details: { issues: [{ path, message }] },
  });
}
