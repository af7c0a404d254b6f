// Login in two requests, as a page asks for it: first email and password, then the code of the second factor. Between
// them the client keeps a proof that the password was right, instead of the password. The proof lasts five minutes, and
// ends when the password changes. Alone it opens nothing.

import { hash } from 'node:crypto';

import type { Secret } from '../../build/shared/text/secret.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createSignedTokens } from '../keys/signed-token.ts';
import { maySignInHere } from './local-sign-in.ts';
import { afterPassword, tryLogin, type LoggedIn, type LoginOptions } from './login.ts';
import { readUser, type StoredUser } from './user-records.ts';
import { hasAuthenticator, type UserRecord } from './user.ts';

/** The password was right; `finish` takes the proof with the code. */
export interface FirstStep {
  readonly proof: Secret;
  /** what can come as the second factor beside recovery codes */
  readonly takes: { readonly authenticator: boolean; readonly passkey: boolean };
}

export type TwoStepLogin = ReturnType<typeof createTwoStepLogin>;

export interface TwoStepLoginOptions extends LoginOptions {
  readonly keys: KeyRing;
}

const proofMs = 300_000;

export function createTwoStepLogin(options: TwoStepLoginOptions) {
  const { store, keys, now, localSignIn } = options;
  const tokens = createSignedTokens(keys);
  const personOf = async (proof: string): Promise<StoredUser | undefined> => {
    const claims = await tokens.verify('first-step', proof, now());
    const stored = claims === undefined ? undefined : await readUser(store, claims.subject);
    if (stored?.record.status !== 'active' || passwordMark(stored.record) !== claims?.sessionId) return undefined;
    return maySignInHere(localSignIn, stored.record) ? stored : undefined;
  };
  return {
    /** The person whose password was right; undefined: the proof has ended. */
    personOf,
    /**
     * An account without two-factor authentication is logged in at once. Throws INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS.
     */
    begin: async (
      credentials: { readonly email: string; readonly password: string },
      address: string,
    ): Promise<LoggedIn | FirstStep> => {
      const reached = await tryLogin(options, credentials, address);
      if (!('lacksCode' in reached)) return reached;
      const user = reached.lacksCode;
      const issuedMs = now();
      const span = { issuedMs, expiresMs: issuedMs + proofMs };
      const proof = await tokens.sign('first-step', { subject: user.id, sessionId: passwordMark(user) }, span);
      return { proof, takes: secondFactorsOf(user) };
    },
    /** undefined: the proof has ended. Throws INVALID_CREDENTIALS for a wrong code, TOO_MANY_ATTEMPTS. */
    finish: async (proof: string, code: string, address: string): Promise<LoggedIn | undefined> => {
      for (;;) {
        const stored = await personOf(proof);
        if (stored === undefined) return undefined;
        const loggedIn = await afterPassword(options, stored, code, address);
        if (loggedIn !== undefined) return loggedIn;
      }
    },
  };
}

export function secondFactorsOf(user: UserRecord): FirstStep['takes'] {
  return { authenticator: hasAuthenticator(user), passkey: (user.passkeys ?? []).length > 0 };
}

/** Changes with the password, and tells nothing about it: the stored text has a random salt. */
function passwordMark({ password }: UserRecord): string {
  return hash('sha256', password ?? '', 'hex');
}
