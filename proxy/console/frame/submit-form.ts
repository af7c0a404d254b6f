// Takes the post of a form. A dangerous form first needs the person's password, unless it was entered in the last five
// minutes. A refused form is shown again, with what was typed.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import type { SessionCaller } from '../../auth/caller.ts';
import { waitAfter } from '../../http/wait-before-retry.ts';
import { isDownload, isRedirect, type Form, type PageOutcome, type SignedInRequest } from './definitions.ts';
import { passwordField } from '../request/password-field.ts';
import { fieldFault, refusedForm, type FormFields } from '../request/form-fields.ts';
import { setCookie } from '../request/session-cookie.ts';
import type { Visit } from '../request/visit.ts';

export const confirmationSeconds = 300;

export interface PasswordCheck {
  /** A proof for the cookie. Throws INVALID_CREDENTIALS or TOO_MANY_ATTEMPTS. */
  readonly confirm: (caller: SessionCaller, password: string, address: string) => Promise<Secret>;
}

export interface Submitted {
  readonly outcome: PageOutcome;
  /** values of Set-Cookie */
  readonly cookies: readonly string[];
}

export async function submitForm(
  passwords: PasswordCheck,
  visit: Visit,
  definition: Form,
  request: SignedInRequest,
  fields: FormFields,
): Promise<Submitted> {
  const cookies: string[] = [];
  try {
    if (definition.isDangerous === true && !visit.isConfirmed)
      cookies.push(await confirmPassword(passwords, visit, request, fields));
    return { outcome: await definition.submit(request, fields), cookies };
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code === 'INSUFFICIENT_SCOPE') throw error;
    const shown = { ...request, asksPassword: request.asksPassword && cookies.length === 0 };
    const outcome = await definition.show(shown, refusedForm(fields, error, definition.fieldOf));
    return { outcome: asRefused(outcome, error), cookies };
  }
}

async function confirmPassword(
  passwords: PasswordCheck,
  visit: Visit,
  { caller, clientAddress }: SignedInRequest,
  fields: FormFields,
): Promise<string> {
  const password = fields.secret(passwordField);
  if (password === '')
    throw fieldFault(passwordField, 'Enter your password: you entered it more than five minutes ago.');
  try {
    return setCookie('confirmed', await passwords.confirm(caller, password, clientAddress), visit, confirmationSeconds);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'INVALID_CREDENTIALS')
      throw fieldFault(passwordField, 'This is not your password.');
    throw error;
  }
}

function asRefused(outcome: PageOutcome, error: RegistryError): PageOutcome {
  if (isRedirect(outcome) || isDownload(outcome)) return outcome;
  return { ...outcome, status: error.status, retryAfterSeconds: waitAfter(error) };
}
