// Proofs that a person entered the password, or used a passkey, a short time ago. A browser keeps the proof beside its
// session, and dangerous posts ask for it. A proof belongs to one session, so whatever ends the session ends the proof:
// a change of the password, for example.

import type { Secret } from '../../build/shared/text/secret.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createSignedTokens } from '../keys/signed-token.ts';
import type { SessionCaller } from './caller.ts';
import type { LoggedIn } from './login.ts';
import { confirmPassword, type ConfirmPasswordOptions } from './confirm-password.ts';

export interface Confirmations {
  /**
   * A proof for `confirmationMs`. `address`: of the client. Throws INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS, NOT_FOUND.
   */
  readonly confirm: (caller: SessionCaller, password: string, address: string) => Promise<Secret>;
  /** A proof for the session of a login, whose person has just entered the password. */
  readonly afterLogin: (loggedIn: LoggedIn) => Promise<Secret>;
  /** A proof for a session whose person was found to be there in another way than by the password: by a passkey, or at the provider. */
  readonly prove: (caller: SessionCaller) => Promise<Secret>;
  /** True if the text is a proof of this session that has not ended. The session itself was checked before. */
  readonly verify: (text: string, caller: SessionCaller, nowMs: number) => Promise<boolean>;
}

export interface ConfirmationsOptions extends ConfirmPasswordOptions {
  readonly keys: KeyRing;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** Five minutes. Clocks of several hosts may differ, so a proof is accepted for `leewayMs` more. */
export const confirmationMs = 300_000;

export function createConfirmations(options: ConfirmationsOptions): Confirmations {
  const { keys, now } = options;
  const tokens = createSignedTokens(keys);
  const prove = (userId: string, sessionId: string): Promise<Secret> => {
    const issuedMs = now();
    const span = { issuedMs, expiresMs: issuedMs + confirmationMs };
    return tokens.sign('confirmation', { subject: userId, sessionId }, span);
  };
  return {
    confirm: async ({ userId, sessionId }, password, address) => {
      await confirmPassword(options, { userId, address }, password);
      return prove(userId, sessionId);
    },
    prove: ({ userId, sessionId }) => prove(userId, sessionId),
    afterLogin: ({ user, sessionId }) => prove(user.id, sessionId),
    verify: async (text, { userId, sessionId }, nowMs) => {
      const claims = await tokens.verify('confirmation', text, nowMs);
      return claims?.subject === userId && claims.sessionId === sessionId;
    },
  };
}
