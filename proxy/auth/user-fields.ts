// Checks the fields that users enter about themselves.

import { RegistryError } from '../../build/contract/errors.ts';
import { parseEmail, type Email } from './email.ts';

/** Throws INVALID_INPUT. */
export function checkedEmail(text: string): Email {
  const email = parseEmail(text);
  if (email !== undefined) return email;
  const given = JSON.stringify(text.slice(0, 80));
  throw invalid('email', `The email ${given} is not an email address. Write one such as ada@example.org.`);
}

/** The trimmed name; an empty one becomes null. Throws INVALID_INPUT. */
export function checkedName(text: string | null): string | null {
  const name = text?.trim() ?? '';
  if (name.length > 200 || /\p{Cc}/u.test(name))
    throw invalid('name', 'The name must be one line of at most 200 characters.');
  return name === '' ? null : name;
}

function invalid(path: string, message: string): RegistryError {
  return new RegistryError('INVALID_INPUT', { message, details: { issues: [{ path, message }] } });
}
