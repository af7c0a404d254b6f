// The accounts of people who sign in at an identity provider: found by (issuer, subject), linked by a verified e-mail
// address where the operator allows it, or made. Each sign-in sets the role that the provider's groups give now
// (I24).

import { RegistryError } from '../../../build/contract/errors.ts';
import { letIn, type LoggedIn } from '../../auth/login.ts';
import { readUserBehind, type StoredUser } from '../../auth/user-records.ts';
import { userIdentityKey } from '../../auth/user-identity.ts';
import type { UserRecord } from '../../auth/user.ts';
import type { ProviderIdentity } from '../model/identity.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { openAccount, type ProviderAccountsParts } from './open-account.ts';
import { assertKeepsAdmin, lastAdmin, notActive } from './refused-accounts.ts';

export interface ProviderAccounts {
  /** `address`: of the client. Throws SignInRefused, and RegistryError STATE_BUSY. */
  readonly signIn: (provider: IdentityProvider, identity: ProviderIdentity, address: string) => Promise<LoggedIn>;
}

const hourMs = 3_600_000;
/** Other changes of the same user come first at most this often. */
const mostAttempts = 50;

export function createProviderAccounts(parts: ProviderAccountsParts): ProviderAccounts {
  return {
    signIn: async (provider, identity, address) => {
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        const stored = await readUserBehind(parts.store, userIdentityKey(identity));
        if (stored === undefined) await openAccount(parts, provider, identity);
        else {
          const loggedIn = await enter(parts, stored, { provider, identity, address });
          if (loggedIn !== undefined) return loggedIn;
        }
      }
      throw new RegistryError('STATE_BUSY');
    },
  };
}

interface Entering {
  readonly provider: IdentityProvider;
  readonly identity: ProviderIdentity;
  readonly address: string;
}

/** undefined: the user was changed since `stored` was read. */
async function enter(
  parts: ProviderAccountsParts,
  stored: StoredUser,
  { provider, identity, address }: Entering,
): Promise<LoggedIn | undefined> {
  const { record } = stored;
  if (record.status !== 'active') throw notActive(provider, record);
  assertKeepsAdmin(provider, identity, record, parts.localSignIn);
  const { role } = identity;
  const details = { provider: provider.id, ...(role !== record.role && { role, former_role: record.role }) };
  try {
    return await letIn(parts, stored, seen(record, identity, parts.now()), {
      address,
      origin: {
        provider: provider.id,
        provider_subject: identity.subject,
        ...(identity.session !== undefined && { provider_session: identity.session }),
        longestMs: provider.sessionHours * hourMs,
      },
      details,
    });
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'LAST_ADMIN') throw lastAdmin(provider, record, role);
    throw error;
  }
}

function seen(record: UserRecord, { issuer, subject, role }: ProviderIdentity, nowMs: number): UserRecord {
  const last_login_at = new Date(nowMs).toISOString();
  const identities = (record.identities ?? []).map((one) =>
    one.issuer === issuer && one.subject === subject ? { ...one, last_login_at } : one,
  );
  return { ...record, role, identities };
}
