// Sign-in at identity providers: what the sign-in page offers, the way there, the way back, and the way out. Refused
// sign-ins count against the address of the client like wrong passwords, and each has its audit event: but not a
// request without a sign-in that waits.

import { RegistryError } from '../../build/contract/errors.ts';
import { addressBudget } from '../auth/attempt-budgets.ts';
import { WrongGuess, type Attempts } from '../auth/attempts.ts';
import type { LoggedIn } from '../auth/login.ts';
import { IssuerUnavailable } from '../oidc/fetch-issuer.ts';
import type { AuditedStore } from '../state/audit.ts';
import { createProviderAccounts } from './accounts/accounts.ts';
import type { ProviderAccountsParts } from './accounts/open-account.ts';
import { beginSignIn, type BegunSignIn, type SignInWish } from './flow/begin.ts';
import { readAnswer, type FinishParts, type ProviderAnswer } from './flow/finish.ts';
import { type Transaction, transactionSeconds } from './flow/transaction.ts';
import { endSessions } from './logout/end-sessions.ts';
import { verifyLogoutToken } from './logout/logout-token.ts';
import type { IdentityProvider } from './model/provider.ts';
import { naming, SignInRefused } from './model/refusal.ts';
import { readUser } from '../auth/user-records.ts';
import { toleranceSeconds, openProvider, type ProviderAccess } from './flow/provider-client.ts';
import { notConfirmed, timeUnknown } from './flow/refused-sign-in.ts';
import type { ProviderIdentity } from './model/identity.ts';

// The address at which a person signs out at their provider as well (OpenID Connect RP-Initiated Logout 1.0). The
// parameter id_token_hint is left out, because this registry stores no ID token; the provider asks its person instead.

/** `returnTo`: exactly as the provider knows it. undefined: the provider offers no sign-out. Throws SignInRefused. */
async function signOutAddress(
  access: ProviderAccess,
  provider: IdentityProvider,
  returnTo: string,
): Promise<string | undefined> {
  if (!provider.logout) return undefined;
  const { server } = await openProvider(access, provider);
  if (server.end_session_endpoint === undefined) return undefined;
  const address = new URL(server.end_session_endpoint);
  address.searchParams.set('client_id', provider.clientId);
  address.searchParams.set('post_logout_redirect_uri', returnTo);
  return address.href;
}

export interface SingleSignOn {
  readonly providers: readonly IdentityProvider[];
  /** Throws SignInRefused, and RegistryError NOT_FOUND. */
  readonly begin: (providerId: string, wish: SignInWish) => Promise<BegunSignIn>;
  /** `address`: of the client. Throws SignInRefused, and RegistryError NOT_FOUND, TOO_MANY_ATTEMPTS. */
  readonly finish: (providerId: string, answer: ProviderAnswer, address: string) => Promise<FinishedSignIn>;
  /**
   * Ends the sessions that a logout token of the provider names. Returns their number. Throws LogoutRefused,
   * IssuerUnavailable, and RegistryError NOT_FOUND.
   */
  readonly endSessions: (providerId: string, logoutToken: string) => Promise<number>;
  /**
   * Where a person signs out at the provider, which then leads to `returnTo`; undefined: nowhere. Throws SignInRefused,
   * and RegistryError NOT_FOUND.
   */
  readonly signOutAddress: (providerId: string, returnTo: string) => Promise<string | undefined>;
}

export type FinishedSignIn =
  | { readonly next: string; readonly loggedIn: LoggedIn }
  /** the person of this session signed in again */
  | { readonly next: string; readonly confirms: NonNullable<Transaction['confirms']> };

export interface SingleSignOnParts extends FinishParts, Omit<ProviderAccountsParts, 'now'> {
  readonly providers: readonly IdentityProvider[];
  readonly attempts: Attempts;
  readonly store: AuditedStore;
  /** receives what a person can do nothing about: a provider that is down, a secret that is missing */
  readonly onError: (error: unknown) => void;
}

export function createSingleSignOn(parts: SingleSignOnParts): SingleSignOn {
  const { providers, onError } = parts;
  const providerOf = (id: string): IdentityProvider => {
    const found = providers.find((one) => one.id === id);
    if (found !== undefined) return found;
    throw new RegistryError('NOT_FOUND', { message: 'This registry has no such identity provider.' });
  };
  return {
    providers,
    begin: (id, wish) => beginSignIn(parts, providerOf(id), wish).catch(reported(onError)),
    finish: (id, answer, address) => finish(parts, providerOf(id), answer, address).catch(reported(onError)),
    endSessions: async (id, text) => {
      const provider = providerOf(id);
      return endSessions(parts, provider, await verifyLogoutToken(parts, provider, text).catch(reported(onError)));
    },
    signOutAddress: (id, returnTo) => signOutAddress(parts, providerOf(id), returnTo).catch(reported(onError)),
  };
}

/** Reasons that lie outside of the person and of the browser: they count against nobody. */
const outages: ReadonlySet<string> = new Set(['provider unavailable', 'secret missing']);

/** Any site can make a browser ask for the callback without a sign-in that waits: this is no attempt of anybody. */
const withoutSignIn: ReadonlySet<string> = new Set(['sign-in lost', 'sign-in too late']);

function isOutage(error: unknown): boolean {
  return error instanceof IssuerUnavailable || (error instanceof SignInRefused && outages.has(error.reason));
}

function reported(onError: (error: unknown) => void): (error: unknown) => never {
  return (error) => {
    if (isOutage(error)) onError(error);
    throw error;
  };
}

async function finish(
  parts: SingleSignOnParts,
  provider: IdentityProvider,
  answer: ProviderAnswer,
  address: string,
): Promise<FinishedSignIn> {
  let refused: SignInRefused | undefined;
  return parts.attempts.judge(
    [addressBudget(address)],
    async () => {
      try {
        return await enter(parts, provider, answer, address);
      } catch (error) {
        if (!(error instanceof SignInRefused) || isOutage(error) || withoutSignIn.has(error.reason)) throw error;
        refused = error;
        throw new WrongGuess();
      }
    },
    { refuse: () => refuse(parts, provider, refused, address) },
  );
}

async function enter(
  parts: SingleSignOnParts,
  provider: IdentityProvider,
  answer: ProviderAnswer,
  address: string,
): Promise<FinishedSignIn> {
  const { identity, transaction } = await readAnswer(parts, provider, answer);
  const { next, confirms } = transaction;
  try {
    if (confirms === undefined)
      return { next, loggedIn: await createProviderAccounts(parts).signIn(provider, identity, address) };
    await assertSamePerson(parts.store, provider, { ...transaction, confirms }, identity, parts.now());
    return { next, confirms };
  } catch (error) {
    throw error instanceof SignInRefused ? naming(error, identity) : error;
  }
}

/** Throws the refusal after its event is durable. */
async function refuse(
  { store }: SingleSignOnParts,
  provider: IdentityProvider,
  refused: SignInRefused | undefined,
  address: string,
): Promise<never> {
  if (refused === undefined) throw new Error('a sign-in was refused without a reason');
  const { reason, details, userId } = refused;
  await store.commit(
    { conditions: [], puts: [], deletes: [] },
    {
      actor: 'system:anonymous',
      action: 'login.refused',
      subject: userId ?? 'unknown',
      details: { reason, provider: provider.id, address, ...details },
    },
  );
  throw refused;
}

// Checks that who signed in again at a provider is the person of the session that asked for it, and that they entered
// the password there after the question. A provider that never says when can be trusted with that (`confirmBy`).

type Confirming = Pick<Transaction, 'expiresMs'> & { readonly confirms: NonNullable<Transaction['confirms']> };

const toleranceMs = toleranceSeconds * 1000;

/** Throws SignInRefused: not confirmed. */
async function assertSamePerson(
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
