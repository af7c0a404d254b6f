// The rule of who signs in with a password of this registry, from the configuration, and what is wrong with it.

import { parseEmail } from '../../proxy/auth/email.ts';
import { whyNotHere, type LocalSignIn, type LocalSignInRule } from '../../proxy/auth/local-sign-in.ts';
import type { UserRecord } from '../../proxy/auth/user.ts';
import { readUserByEmail } from '../../proxy/auth/user-records.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';

export function localSignInRule({
  localSignIn,
  identityProviders,
}: Pick<Config, 'localSignIn' | 'identityProviders'>): LocalSignInRule {
  const { value } = localSignIn;
  return value === 'everybody'
    ? undefined
    : { only: value.only, providers: identityProviders.value.map(({ title }) => title) };
}

/** Each named person who could not sign in, with the reason. */
export interface LocalSignInPeople {
  readonly able: readonly string[];
  readonly unable: readonly string[];
  /** what to do about each of `unable` */
  readonly remedies: readonly string[];
}

/** Reads the accounts of the named admins. */
export async function localSignInPeople(state: StateStore, rule: LocalSignIn): Promise<LocalSignInPeople> {
  const found = await Promise.all(
    rule.only.map(async (email) => {
      const record = (await readUserByEmail(state, parseEmail(email) ?? email))?.record;
      const reason = record === undefined ? 'has no account' : whyNotHere(rule, record);
      return { email, reason, remedy: remedyFor(email, record) };
    }),
  );
  return {
    able: found.flatMap(({ email, reason }) => (reason === undefined ? [email] : [])),
    remedies: found.flatMap(({ reason, remedy }) => (reason === undefined ? [] : [remedy])),
    unable: found.flatMap(({ email, reason }) => (reason === undefined ? [] : [`${email} ${reason}`])),
  };
}

/** As `whyNotHere` finds it, in the same order. */
function remedyFor(email: string, record: UserRecord | undefined): string {
  const then = ` Then: ${repairLocalSignIn}`;
  if (record === undefined) return `Run \`libretto user create --admin --email ${email}\`.${then}`;
  const { role, status, password } = record;
  if (role !== 'admin')
    return `Run \`libretto user update ${email} --role admin\`, or take the address out of the setting.`;
  if (status === 'disabled')
    return `Run \`libretto user update ${email} --enable\`, or take the address out of the setting.`;
  if (password === null) return `Run \`libretto user update ${email} --invite\`, and choose a password with it.${then}`;
  return repairLocalSignIn;
}

/** What keeps every named admin out; undefined: one of them can sign in. */
export async function nobodySignsIn(state: StateStore, rule: LocalSignIn): Promise<string | undefined> {
  const { able, unable } = await localSignInPeople(state, rule);
  return able.length > 0 ? undefined : `No admin of the setting localSignIn could sign in: ${unable.join('; ')}.`;
}

export const repairLocalSignIn =
  'Set "localSignIn" to "everybody", restart the server, let a named admin sign in and turn on two-factor ' +
  'authentication, and set it again. `libretto user` on this host makes and changes accounts at any time.';
