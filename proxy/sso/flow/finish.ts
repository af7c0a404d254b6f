// The whole way back from a provider: from the cookie and the query of the callback to the person. Nothing of the query
// is used before it is known to answer the sign-in of this browser.

import type { Sealer } from '../../keys/sealer.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { ProviderIdentity } from '../model/identity.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { openProvider, type ProviderAccess } from './provider-client.ts';
import { checkAnswer, fetchUserInfo, redeemCode } from './redeem-code.ts';
import { foreignAnswer, signInLost, signInTooLate, signInUsed, noRole, tokenNotAccepted } from './refused-sign-in.ts';
import { openTransaction, type Transaction } from './transaction.ts';
import { useState } from './used-states.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import { parseEmail } from '../../auth/email.ts';
import { roleOfClaims } from '../accounts/role-of-claims.ts';
import { claimAt } from '../model/claim-at.ts';
import { naming } from '../model/refusal.ts';

// Reads a person from verified claims: their subject, their role by their groups, and what the account is made of. The
// userinfo endpoint is asked only for what the ID token leaves out, because many providers keep ID tokens short.

/** Longer ones are against the standard. */
const longestSubject = 255;

/** `moreClaims`: asks the userinfo endpoint; undefined: the provider has none. Throws SignInRefused. */
export async function readIdentity(
  provider: IdentityProvider,
  idToken: JsonObject,
  moreClaims: (() => Promise<JsonObject>) | undefined,
): Promise<ProviderIdentity> {
  const more = moreClaims === undefined || isEnough(provider, idToken) ? {} : await moreClaims();
  // the ID token is signed, so it wins
  const claims = { ...more, ...idToken };
  const subject = textOf(claims['sub']);
  if (subject === undefined || subject.length > longestSubject)
    throw tokenNotAccepted(provider, 'the claim sub is no text of at most 255 characters');
  const { email, isEmailVerified } = readEmail(provider.claims.email, idToken, more);
  const decision = roleOfClaims(claims, { claim: provider.claims.roles, roles: provider.roles });
  if ('refused' in decision) throw naming(noRole(provider, decision.refused, decision.found), { subject, email });
  const at = idToken['auth_time'];
  return {
    issuer: provider.issuer,
    subject,
    email,
    isEmailVerified,
    name: textOf(claimAt(claims, provider.claims.name)),
    role: decision.role,
    session: textOf(claims['sid']),
    authenticatedMs: typeof at === 'number' ? at * 1000 : undefined,
  };
}

function isEnough({ claims: { email, roles }, linkByEmail }: IdentityProvider, idToken: JsonObject): boolean {
  const decision = roleOfClaims(idToken, { claim: roles, roles: {} });
  const hasGroups = 'role' in decision || decision.refused !== 'no-claim';
  return (
    hasGroups && claimAt(idToken, email) !== undefined && (!linkByEmail || idToken['email_verified'] !== undefined)
  );
}

/**
 * The address, and whether the provider checked it: `email_verified` speaks of the claim `email` of the same document,
 * and of no other address.
 */
function readEmail(
  claim: string,
  idToken: JsonObject,
  more: JsonObject,
): Pick<ProviderIdentity, 'email' | 'isEmailVerified'> {
  const signed = claimAt(idToken, claim);
  const email = emailOf(signed ?? claimAt(more, claim));
  const { email: checked, email_verified } =
    signed !== undefined && idToken['email_verified'] !== undefined ? idToken : more;
  const isSame = claim === 'email' && email !== undefined && checked === email;
  return { email, isEmailVerified: isSame && email_verified === true };
}

/** Blanks around an address are for people who type it: of a provider, another text is another mailbox. */
function emailOf(value: unknown): string | undefined {
  return typeof value === 'string' && value === value.trim() && parseEmail(value) !== undefined ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

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
