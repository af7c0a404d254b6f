// The whole way back from a provider: from the cookie and the query of the callback to the person. Nothing of the query
// is used before it is known to answer the sign-in of this browser.

import type { Sealer } from '../../keys/sealer.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { ProviderIdentity } from '../model/identity.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { openProvider, type ProviderAccess } from './provider-client.ts';
import { readIdentity } from './read-identity.ts';
import { checkAnswer, fetchUserInfo, redeemCode } from './redeem-code.ts';
import { foreignAnswer, signInLost, signInTooLate, signInUsed } from './refused-sign-in.ts';
import { openTransaction, type Transaction } from './transaction.ts';
import { useState } from './used-states.ts';

export interface FinishParts extends ProviderAccess {
  readonly sealer: Sealer;
  readonly state: StateStore;
}

export interface ProviderAnswer {
  /** the cookie of the browser; undefined: it has none */
  readonly transaction: string | undefined;
  /** of this callback */
  readonly redirectUri: string;
  readonly query: URLSearchParams;
}

export interface Answered {
  readonly identity: ProviderIdentity;
  readonly transaction: Transaction;
}

/** Throws SignInRefused. */
export async function readAnswer(
  parts: FinishParts,
  provider: IdentityProvider,
  { transaction: text, redirectUri, query }: ProviderAnswer,
): Promise<Answered> {
  const { sealer, state, now } = parts;
  const transaction = text === undefined ? undefined : openTransaction(sealer, text);
  if (transaction === undefined) throw signInLost();
  if (transaction.provider !== provider.id) throw foreignAnswer(provider, 'the sign-in began at another provider');
  if (transaction.redirectUri !== redirectUri) throw foreignAnswer(provider, 'the sign-in began at another address');
  if (now() >= transaction.expiresMs) throw signInTooLate(provider);
  const opened = await openProvider(parts, provider);
  const checked = checkAnswer(provider, opened, query, transaction);
  if (!(await useState(state, transaction, now()))) throw signInUsed(provider);
  const redeemed = await redeemCode(parts, provider, opened, { checked, transaction });
  const more =
    opened.server.userinfo_endpoint === undefined ? undefined : () => fetchUserInfo(parts, provider, opened, redeemed);
  return { identity: await readIdentity(provider, redeemed.claims, more), transaction };
}
