// Takes the post of a form. A dangerous form first needs the person's password, unless it was entered in the last five
// minutes. A refused form is shown again, with what was typed.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import type { SessionCaller } from '../../auth/caller.ts';
import type { PasskeyAnswer } from '../../passkeys/answer.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import { passkeySite } from '../../passkeys/site.ts';
import { waitAfter } from '../../core/http/wait-before-retry.ts';
import {
  asksPassword,
  isDownload,
  isRedirect,
  type FormPage,
  type PageOutcome,
  type SignedInRequest,
} from './definitions.ts';
import { passwordField, fieldFault, refusedForm, type FormFields } from '../request/form-fields.ts';
import { passkeyAnswer } from '../request/passkey-fields.ts';
import { setCookie } from '../request/session-cookie.ts';
import type { Visit } from '../request/visit.ts';

export const confirmationSeconds = 300;

/** How the person proves again who they are. Each gives a proof for the cookie. */
export interface PersonCheck {
  /** Throws INVALID_CREDENTIALS or TOO_MANY_ATTEMPTS. */
  readonly byPassword: (caller: SessionCaller, password: string, address: string) => Promise<Secret>;
  /** Throws INVALID_CREDENTIALS, INVALID_INPUT or TOO_MANY_ATTEMPTS. */
  readonly byPasskey: Passkeys['confirm'];
}

export interface Submitted {
  readonly outcome: PageOutcome;
  /** values of Set-Cookie */
  readonly cookies: readonly string[];
}

export async function submitForm(
  check: PersonCheck,
  visit: Visit,
  definition: FormPage,
  request: SignedInRequest,
  fields: FormFields,
): Promise<Submitted> {
  const cookies: string[] = [];
  // a password that comes with a preview counts for the save after it
  const asks = definition.previews?.(fields) === true ? fields.secret(passwordField) !== '' : asksPassword(definition);
  const confirmed = () => ({ ...request, asksPassword: request.asksPassword && cookies.length === 0 });
  try {
    if (asks && !visit.isConfirmed) cookies.push(await confirmPerson(check, visit, request, fields));
    return { outcome: await definition.submit(confirmed(), fields), cookies };
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code === 'INSUFFICIENT_SCOPE') throw error;
    const outcome = await definition.show(confirmed(), refusedForm(fields, error, definition.fieldOf));
    return { outcome: asRefused(outcome, error), cookies };
  }
}

async function confirmPerson(
  check: PersonCheck,
  visit: Visit,
  request: SignedInRequest,
  fields: FormFields,
): Promise<string> {
  const answer = passkeyAnswer(fields, 'confirm');
  const proof =
    answer === undefined
      ? await confirmPassword(check, visit, request, fields)
      : await confirmPasskey(check, request, answer);
  return setCookie('confirmed', proof, visit, confirmationSeconds);
}

function confirmPasskey(
  { byPasskey }: PersonCheck,
  { caller, clientAddress, consoleOrigin }: SignedInRequest,
  answer: PasskeyAnswer,
): Promise<Secret> {
  return byPasskey(caller, answer, { site: passkeySite(consoleOrigin), address: clientAddress });
}

async function confirmPassword(
  { byPassword }: PersonCheck,
  visit: Visit,
  { caller, clientAddress }: SignedInRequest,
  fields: FormFields,
): Promise<Secret> {
  const password = fields.secret(passwordField);
  if (password === '' && visit.confirmsAt !== undefined) throw notConfirmed(visit.confirmsAt.title);
  if (password === '')
    throw fieldFault(passwordField, 'Enter your password: you entered it more than five minutes ago.');
  try {
    return await byPassword(caller, password, clientAddress);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'INVALID_CREDENTIALS')
      throw fieldFault(passwordField, 'This is not your password.');
    throw error;
  }
}

function notConfirmed(title: string): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    message: `Nothing was done. Confirm at ${title} first: it asks for your password once more.`,
  });
}

function asRefused(outcome: PageOutcome, error: RegistryError): PageOutcome {
  if (isRedirect(outcome) || isDownload(outcome)) return outcome;
  return { ...outcome, status: error.status, retryAfterSeconds: waitAfter(error) };
}
