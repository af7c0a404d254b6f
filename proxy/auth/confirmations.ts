// Proofs that a person entered the password, or used a passkey, a short time ago. A browser keeps the proof beside its
// session, and dangerous posts ask for it. A proof belongs to one session, so whatever ends the session ends the proof:
// a change of the password, for example.

import type { Secret } from '../../build/shared/text/secret.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createSignedTokens, leewayMs } from '../keys/signed-token.ts';
import type { SessionCaller } from './caller.ts';
import type { LoggedIn } from './login.ts';
import { confirmPassword, type ConfirmPasswordOptions } from './confirm-password.ts';

export type Confirmations = ReturnType<typeof createConfirmations>;

export interface ConfirmationsOptions extends ConfirmPasswordOptions {
  readonly keys: KeyRing;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** Five minutes. Clocks of several hosts may differ, so a proof is accepted for `leewayMs` more. */
export const confirmationMs = 300_000;
export const recentMs = confirmationMs + leewayMs;

export function createConfirmations(options: ConfirmationsOptions) {
  const { keys, now } = options;
  const tokens = createSignedTokens(keys);
  const prove = (userId: string, sessionId: string): Promise<Secret> => {
    const issuedMs = now();
    const span = { issuedMs, expiresMs: issuedMs + confirmationMs };
    return tokens.sign('confirmation', { subject: userId, sessionId }, span);
  };
  return {
    /**
     * A proof for `confirmationMs`. `address`: of the client. Throws INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS, NOT_FOUND.
     */
    confirm: async ({ userId, sessionId }: SessionCaller, password: string, address: string): Promise<Secret> => {
      await confirmPassword(options, { userId, address }, password);
      return prove(userId, sessionId);
    },
    /**
     * A proof for a session whose person was found to be there in another way than by the password: by a passkey, or at
     * the provider.
     */
    prove: ({ userId, sessionId }: SessionCaller) => prove(userId, sessionId),
    /** A proof for the session of a login, whose person has just entered the password. */
    afterLogin: ({ user, sessionId }: LoggedIn) => prove(user.id, sessionId),
    /** True if the text is a proof of this session that has not ended. The session itself was checked before. */
    verify: async (text: string, { userId, sessionId }: SessionCaller, nowMs: number): Promise<boolean> => {
      const claims = await tokens.verify('confirmation', text, nowMs);
      return claims?.subject === userId && claims.sessionId === sessionId;
    },
  };
}
