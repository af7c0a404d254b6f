// Who signs in with a password of this registry. Where people sign in at an identity provider, the operator can leave
// passwords to a few named admins with a second factor, for the day on which the provider fails. Pure.

import { RegistryError } from '../../build/contract/errors.ts';
import { parseEmail, type Email } from './email.ts';
import { hasProviderOnly, hasTwoFactor, type UserRecord } from './user.ts';

export interface LocalSignIn {
  /** the named admins */
  readonly only: readonly Email[];
  /** titles of the identity providers, at which everybody else signs in */
  readonly providers: readonly string[];
}

/** undefined: everybody may */
export type LocalSignInRule = LocalSignIn | undefined;

/** `email`: as somebody typed it. */
export function isNamed(rule: LocalSignInRule, email: string): boolean {
  return rule === undefined || rule.only.some((one) => one === parseEmail(email));
}

/** True for everybody without a rule; with one, for a named admin with a second factor. */
export function maySignInHere(rule: LocalSignInRule, record: UserRecord): boolean {
  return rule === undefined || whyNotHere(rule, record) === undefined;
}

/** Where people sign in. */
export interface WaysIn {
  readonly localSignIn?: LocalSignInRule;
  /** addresses of the identity providers; undefined: any */
  readonly issuers?: readonly string[] | undefined;
}

/**
 * True for somebody who could sign in: here, or at a provider where they did it before. Without it their tokens rest,
 * as their sessions do.
 */
export function hasWayIn({ localSignIn, issuers }: WaysIn, record: UserRecord): boolean {
  if ((record.identities ?? []).some(({ issuer }) => issuers?.includes(issuer) !== false)) return true;
  return !hasProviderOnly(record) && maySignInHere(localSignIn, record);
}

/** Why the rule keeps this person from signing in here; undefined: it does not. Follows the person's address. */
export function whyNotHere({ only }: LocalSignIn, record: UserRecord): string | undefined {
  if (!only.includes(record.email)) return 'is not named in the setting localSignIn';
  if (record.role !== 'admin') return `is a ${record.role}, and not an admin`;
  if (record.status !== 'active') return `is ${record.status}`;
  if (record.password === null) return 'has no password';
  return hasTwoFactor(record) ? undefined : 'has no second factor';
}

/** Ends a message: where everybody else signs in. */
export function elsewhere({ providers }: LocalSignIn): string {
  return providers.length === 0 ? 'at the identity provider' : `at ${providers.join(' or ')}`;
}

/**
 * The refusal of a sign-in. Its message is the same for a wrong password and for a person who is not named, so that it
 * tells neither. undefined: `localSignIn` has no part in it.
 */
export function refusedHere(rule: LocalSignInRule): RegistryError {
  if (rule === undefined) return new RegistryError('INVALID_CREDENTIALS');
  return new RegistryError('INVALID_CREDENTIALS', { message: wrongHere(rule) });
}

export function wrongHere(rule: LocalSignIn): string {
  return (
    'This email and password are not accepted. Passwords of this registry work only for a few named admins with a ' +
    `second factor (setting localSignIn). Everybody else signs in ${elsewhere(rule)}.`
  );
}

/** `id`: absent: there is no account yet. */
interface Person {
  readonly email: string;
  readonly id?: string;
  readonly identities?: readonly unknown[];
}

/** Refuses a password, or a link to choose one, that would open nothing. Throws RegistryError with this code. */
export function assertNamed(rule: LocalSignInRule, person: Person, code: 'CONFLICT' | 'INVITATION_INVALID'): void {
  const message = notNamed(rule, person);
  if (message !== undefined) throw new RegistryError(code, { message });
}

/** Why a password would open nothing for this person, and what to do; undefined: the rule names them. */
export function notNamed(rule: LocalSignInRule, person: Person): string | undefined {
  const { email } = person;
  if (rule === undefined || isNamed(rule, email)) return undefined;
  const known = `${email} cannot sign in with a password here: the setting localSignIn does not name this address.`;
  const there = `They sign in ${elsewhere(rule)}`;
  if (!('id' in person)) return `${known} ${there}, which makes their account.`;
  if ((person.identities ?? []).length > 0) return `${known} ${there}.`;
  return (
    `${known} ${there} if \`linkByEmail\` of the provider opens this account. Otherwise an admin has to remove the ` +
    'account: the sign-in there makes it anew.'
  );
}
