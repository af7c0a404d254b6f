// Checks that who signed in again at a provider is the person of the session that asked for it, and that they entered
// the password there after the question. A provider that never says when can be trusted with that (`confirmBy`).

import { readUser } from '../auth/user-records.ts';
import type { AuditedStore } from '../state/audit.ts';
import { toleranceSeconds } from './flow/provider-client.ts';
import { notConfirmed, timeUnknown } from './flow/refused-sign-in.ts';
import { transactionSeconds, type Transaction } from './flow/transaction.ts';
import type { ProviderIdentity } from './model/identity.ts';
import type { IdentityProvider } from './model/provider.ts';

export type Confirming = Pick<Transaction, 'expiresMs'> & { readonly confirms: NonNullable<Transaction['confirms']> };

const toleranceMs = toleranceSeconds * 1000;

/** Throws SignInRefused: not confirmed. */
export async function assertSamePerson(
  store: AuditedStore,
  provider: IdentityProvider,
  { expiresMs, confirms: { userId } }: Confirming,
  identity: ProviderIdentity,
  nowMs: number,
): Promise<void> {
  const user = (await readUser(store, userId))?.record;
  if (user === undefined || user.status !== 'active')
    throw notConfirmed(provider, 'Your account of this registry is not active any more.');
  if (
    !(user.identities ?? []).some(({ issuer, subject }) => issuer === identity.issuer && subject === identity.subject)
  )
    throw notConfirmed(provider, 'Somebody else signed in there.', userId);
  const { authenticatedMs } = identity;
  // the nonce proves that this sign-in came after the question
  if (authenticatedMs === undefined && provider.confirmBy === 'sign-in') return;
  if (authenticatedMs === undefined) throw timeUnknown(provider, userId);
  if (authenticatedMs < expiresMs - transactionSeconds * 1000 - toleranceMs)
    throw notConfirmed(provider, 'You did not enter your password there again.', userId);
  if (authenticatedMs > nowMs + toleranceMs)
    throw notConfirmed(
      provider,
      'The provider says that you entered your password in the future (claim auth_time): compare its clock with that ' +
        'of this registry.',
      userId,
    );
}
