// The refusals of accounts, in words for the person who signs in at a provider.

import { isMadeByProvider, type UserRecord } from '../../auth/user.ts';
import { maySignInHere, type LocalSignInRule } from '../../auth/local-sign-in.ts';
import type { ProviderIdentity } from '../model/identity.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { SignInRefused } from '../model/refusal.ts';

/** Throws SignInRefused for an account of this registry that this identity must not open. */
export function assertLinkable(
  provider: IdentityProvider,
  identity: ProviderIdentity,
  record: UserRecord,
  rule: LocalSignInRule,
): void {
  const { title, linkByEmail } = provider;
  const { email, id, identities = [] } = record;
  if (identities.some(({ issuer }) => issuer === provider.issuer))
    throw new SignInRefused(
      'other subject',
      `The account ${email} of this registry belongs to another account at ${title}. If that one was deleted there, ` +
        'ask an admin of the registry to delete the account here: your next sign-in makes it anew.',
      { userId: id },
    );
  if (record.status === 'disabled') throw notActive(provider, record);
  if (isMadeByProvider(record)) throw otherProvider(provider, record);
  if (linkByEmail && identity.isEmailVerified && isSpelledSo(identity, record)) return;
  throw addressTaken(provider, identity, record, rule);
}

/** Names only ways in that are open to the owner of the account. */
function addressTaken(
  { title, linkByEmail }: IdentityProvider,
  { isEmailVerified }: ProviderIdentity,
  record: UserRecord,
  rule: LocalSignInRule,
): SignInRefused {
  const { email, id, password } = record;
  const hasPassword = password !== null && maySignInHere(rule, record);
  const lead = `This registry has an account ${email} already, and ${title}`;
  const removal = 'to remove that account: your next sign-in makes it anew.';
  const fault = isEmailVerified
    ? `${lead} writes your e-mail address with other letters. Correct the address at ${title}`
    : `${lead} does not say that it checked your e-mail address. Confirm the address at ${title}`;
  const setting = '`linkByEmail` of the provider in libretto.json opens accounts of the same e-mail address';
  const closed = `This registry has an account ${email} already, and does not open it for ${title}.`;
  const messages = {
    linking: hasPassword
      ? `${fault}, or sign in with the password of that account.`
      : `${fault}. If you cannot, ask an admin of the registry ${removal}`,
    strict: hasPassword
      ? `${closed} Sign in with the password of that account, or ask an admin: ${setting}.`
      : `${closed} Ask an admin of the registry: ${setting}. Or ask them ${removal}`,
  };
  const message = linkByEmail ? messages.linking : messages.strict;
  return new SignInRefused('e-mail address taken', message, { userId: id });
}

/** A named admin is the way in while the provider is down, so no provider takes their role. Throws SignInRefused. */
export function assertKeepsAdmin(
  { title }: IdentityProvider,
  { role }: ProviderIdentity,
  record: UserRecord,
  rule: LocalSignInRule,
): void {
  const isNamedAdmin = record.role === 'admin' && rule?.only.includes(record.email) === true;
  if (!isNamedAdmin || role === 'admin') return;
  throw new SignInRefused(
    'named admin',
    `Your groups at ${title} give you the role ${role}, but the setting localSignIn names you as an admin of this ` +
      `registry, for the day on which ${title} fails. Sign in with your password and your second factor here. Or ask an ` +
      `admin of ${title} for a group that gives the role admin.`,
    { userId: record.id, details: { role } },
  );
}

function otherProvider({ title }: IdentityProvider, { id, email }: UserRecord): SignInRefused {
  return new SignInRefused(
    'other provider',
    `The account ${email} of this registry was made by a sign-in at another identity provider, and opens only there. ` +
      `Sign in there. If that account is not yours, or you have to use ${title} from now on, ask an admin of the registry ` +
      'to remove that account: your next sign-in here makes it anew.',
    { userId: id },
  );
}

/** Letters of different scripts can become the same lower case letter, and are different letters for a mail server. */
function isSpelledSo({ email = '' }: ProviderIdentity, record: UserRecord): boolean {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) === record.email;
}

export function notActive({ title }: Pick<IdentityProvider, 'title'>, { id, status }: UserRecord): SignInRefused {
  return new SignInRefused(
    'not active',
    `${title} knows you, but your account of this registry is ${status}. Ask an admin of the registry to make it active.`,
    { userId: id },
  );
}

export function lastAdmin({ title }: IdentityProvider, { id }: UserRecord, role: string): SignInRefused {
  return new SignInRefused(
    'last admin',
    `Your groups at ${title} give you the role ${role}, but you are the last active admin of this registry. Make ` +
      'somebody else an admin first: on the host of the registry, `libretto user create` and `libretto user update` do so.',
    { userId: id, details: { role } },
  );
}

export function noEmail({ title }: IdentityProvider): SignInRefused {
  return new SignInRefused(
    'no e-mail address',
    `${title} sends no valid e-mail address for you, which every account here has. Add one to your account there. If you have ` +
      'one, an admin of the registry can name its claim (`claims.email` of the provider) or ask for the scope `email`.',
  );
}
