// Checks the fields that users enter about themselves.

import { RegistryError } from '../../build/contract/errors.ts';
import { parseEmail, type Email } from './email.ts';

/** Throws INVALID_INPUT. */
export function checkedEmail(text: string): Email {
  const email = parseEmail(text);
  if (email !== undefined) return email;
  throw invalid('email', `must be an address such as ada@example.org, not ${JSON.stringify(text.slice(0, 80))}`);
}

/** The trimmed name; an empty one becomes null. Throws INVALID_INPUT. */
export function checkedName(text: string | null): string | null {
  const name = text?.trim() ?? '';
  if (name.length > 200 || /\p{Cc}/u.test(name)) throw invalid('name', 'must be one line of at most 200 characters');
  return name === '' ? null : name;
}

/** `fault`: without a subject, which is the field. */
function invalid(path: string, fault: string): RegistryError {
  const issues = [{ path, message: fault }];
  return new RegistryError('INVALID_INPUT', { message: `The ${path} ${fault}.`, details: { issues } });
}
