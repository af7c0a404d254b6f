// A refused sign-in at an identity provider. Its message is for the person: what is wrong, and who can do what. Its
// reason is for the audit log and for tests.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { ProviderIdentity } from './identity.ts';

export const refusalReasons = [
  /** the provider, its keys or its answers cannot be reached, or are not what the standard says */
  'provider unavailable',
  /** the client secret of this registry is not where the configuration says */
  'secret missing',
  /** the cookie of the sign-in is gone: another browser, or cookies are off */
  'sign-in lost',
  /** more than ten minutes have passed */
  'sign-in too late',
  /** the answer of the provider was sent a second time */
  'sign-in used',
  /** the answer belongs to another sign-in, or comes from another provider */
  'foreign answer',
  /** the provider itself said no */
  'refused by the provider',
  /** the provider did not accept the code, or its ID token is not valid */
  'token not accepted',
  /** a confirmation by another person, or without the password */
  'not confirmed',
  'no e-mail address',
  'no group claim',
  'no mapped group',
  'too many groups',
  'not active',
  'e-mail address taken',
  'other subject',
  /** a sign-in at another provider made the account of this e-mail address */
  'other provider',
  'last admin',
  /** the setting localSignIn names this admin, and the groups give less */
  'named admin',
] as const;
export type SignInRefusalReason = (typeof refusalReasons)[number];

/** The refusal of a person whom the provider proved: its audit event says who it was. */
export function naming(
  { reason, message, details, userId, cause }: SignInRefused,
  { subject, email }: Pick<ProviderIdentity, 'subject' | 'email'>,
): SignInRefused {
  const who = { sub: onOneLine(subject), ...(email !== undefined && { email: onOneLine(email) }) };
  return new SignInRefused(reason, message, { details: { ...who, ...details }, ...(userId && { userId }), cause });
}

function onOneLine(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ').slice(0, 255);
}

export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly reason: SignInRefusalReason;
  /** for the audit event; never a secret */
  readonly details: JsonObject;
  /** of the user, where one is known */
  readonly userId: string | undefined;

  constructor(
    reason: SignInRefusalReason,
    message: string,
    more: { readonly details?: JsonObject; readonly userId?: string; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.reason = reason;
    this.details = more.details ?? {};
    this.userId = more.userId;
  }
}
