// The first sign-in of a person at an identity provider: their account of this registry is made, or linked by a
// verified e-mail address. Both only make the link; the session begins in a commit of its own.

import type { SessionService } from '../../auth/sessions.ts';
import type { ChangeParts } from '../../state/audit.ts';
import type { LocalSignInRule } from '../../auth/local-sign-in.ts';
import { checkedName } from '../../auth/user-fields.ts';
import { parseEmail, type Email } from '../../auth/email.ts';
import { commitUser, insertUser, readUserByEmail, type StoredUser } from '../../auth/user-records.ts';
import { userIdentityKey, type UserIdentity } from '../../auth/user-identity.ts';
import type { UserRecord } from '../../auth/user.ts';
import { mintUserId } from '../../core/tokens/person.ts';
import type { ProviderIdentity } from '../model/identity.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { assertKeepsAdmin, assertLinkable, noEmail } from './refused-accounts.ts';

export interface ProviderAccountsParts extends Omit<ChangeParts, 'actor'> {
  readonly sessions: SessionService;
  /** who signs in with a password of this registry; undefined: everybody */
  readonly localSignIn?: LocalSignInRule;
}

/** Makes one attempt, which another change of the same user can defeat. Throws SignInRefused. */
export async function openAccount(
  parts: ProviderAccountsParts,
  provider: IdentityProvider,
  identity: ProviderIdentity,
): Promise<void> {
  const email = parseEmail(identity.email ?? '');
  if (email === undefined) throw noEmail(provider);
  const known = await readUserByEmail(parts.store, email);
  if (known === undefined) await makeAccount(parts, provider, identity, email);
  else await linkAccount(parts, provider, identity, known);
}

async function makeAccount(
  { store, now, randomBytes }: ProviderAccountsParts,
  provider: IdentityProvider,
  identity: ProviderIdentity,
  email: Email,
): Promise<void> {
  const at = new Date(now()).toISOString();
  const record: UserRecord = {
    id: mintUserId(randomBytes),
    email,
    name: nameOf(identity),
    role: identity.role,
    status: 'active',
    password: null,
    two_factor: null,
    invitation: null,
    created_at: at,
    created_by: 'system:sso',
    last_login_at: null,
    known_addresses: [],
    identities: [linkTo(identity, at)],
  };
  const { id, name, role } = record;
  await insertUser(store, record, {
    ...identityRow(identity, id),
    event: {
      actor: 'system:sso',
      action: 'user.create',
      subject: id,
      details: { email, name, role, provider: provider.id, invited: false },
    },
  });
}

async function linkAccount(
  { store, now, localSignIn }: ProviderAccountsParts,
  provider: IdentityProvider,
  identity: ProviderIdentity,
  stored: StoredUser,
): Promise<void> {
  const { record } = stored;
  assertLinkable(provider, identity, record, localSignIn);
  assertKeepsAdmin(provider, identity, record, localSignIn);
  const linked: UserRecord = {
    ...record,
    status: 'active',
    // the sign-in at the provider takes the place of a link that waits for a password
    invitation: record.status === 'invited' ? null : record.invitation,
    identities: [...(record.identities ?? []), linkTo(identity, new Date(now()).toISOString())],
  };
  await commitUser(store, stored, {
    record: linked,
    ...identityRow(identity, record.id),
    event: {
      actor: 'system:sso',
      action: 'user.link',
      subject: record.id,
      details: { provider: provider.id, email: record.email },
    },
  });
}

function linkTo({ issuer, subject }: ProviderIdentity, linked_at: string): UserIdentity {
  return { issuer, subject, linked_at, last_login_at: null };
}

/** The row that finds the user, which nobody else may have made meanwhile. */
function identityRow(identity: ProviderIdentity, userId: string) {
  const key = userIdentityKey(identity);
  return { conditions: [{ key, revision: null }], puts: [{ key, value: userId }] };
}

/**
 * Without characters that cannot be seen: some turn the text around them. A name that this registry would not take is
 * left out: it must keep nobody from signing in.
 */
function nameOf({ name = '' }: ProviderIdentity): string | null {
  return checkedName([...name.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/\p{C}/gu, '')].slice(0, 100).join(''));
}
