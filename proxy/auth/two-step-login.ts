// Login in two requests, as a page asks for it: first email and password, then the code of the second factor. Between
// them the client keeps a proof that the password was right, instead of the password. The proof lasts five minutes, and
// ends when the password changes. Alone it opens nothing.

import { hash } from 'node:crypto';

import type { Secret } from '../../build/shared/text/secret.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createSignedTokens } from '../keys/signed-token.ts';
import { afterPassword, tryLogin, type LoggedIn, type LoginOptions } from './login.ts';
import { readUser } from './user-records.ts';
import type { UserRecord } from './user.ts';

/** The password was right; `finish` takes the proof with the code. */
export interface FirstStep {
  readonly proof: Secret;
}

export interface TwoStepLogin {
  /** An account without two-factor authentication is logged in at once. Throws INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS. */
  readonly begin: (
    credentials: { readonly email: string; readonly password: string },
    address: string,
  ) => Promise<LoggedIn | FirstStep>;
  /** undefined: the proof has ended. Throws INVALID_CREDENTIALS for a wrong code, TOO_MANY_ATTEMPTS. */
  readonly finish: (proof: string, code: string, address: string) => Promise<LoggedIn | undefined>;
}

export interface TwoStepLoginOptions extends LoginOptions {
  readonly keys: KeyRing;
}

const proofMs = 300_000;

export function createTwoStepLogin(options: TwoStepLoginOptions): TwoStepLogin {
  const { store, keys, now } = options;
  const tokens = createSignedTokens(keys);
  return {
    begin: async (credentials, address) => {
      const reached = await tryLogin(options, credentials, address);
      if (!('lacksCode' in reached)) return reached;
      const user = reached.lacksCode;
      const issuedMs = now();
      const span = { issuedMs, expiresMs: issuedMs + proofMs };
      return { proof: await tokens.sign('first-step', { subject: user.id, sessionId: passwordMark(user) }, span) };
    },
    finish: async (proof, code, address) => {
      const claims = await tokens.verify('first-step', proof, now());
      if (claims === undefined) return undefined;
      for (;;) {
        const stored = await readUser(store, claims.subject);
        if (stored?.record.status !== 'active' || passwordMark(stored.record) !== claims.sessionId) return undefined;
        const loggedIn = await afterPassword(options, stored, code, address);
        if (loggedIn !== undefined) return loggedIn;
      }
    },
  };
}

/** Changes with the password, and tells nothing about it: the stored text has a random salt. */
function passwordMark({ password }: UserRecord): string {
  return hash('sha256', password ?? '', 'hex');
}
