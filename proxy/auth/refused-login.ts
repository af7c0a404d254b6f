// A refused login: an audit event without the typed text, which may be a password, and one answer for every reason.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { refusedHere, type LocalSignInRule } from './local-sign-in.ts';

export interface Refusal {
  /** undefined: unknown user. The typed email is not stored, because it may have been a password. */
  readonly userId: string | undefined;
  readonly actor?: Actor;
  readonly address: string;
  readonly reason:
    | 'unknown user'
    | 'not active'
    | 'wrong password'
    | 'wrong code'
    | 'wrong passkey'
    | 'copied passkey'
    | 'used answer'
    | 'local sign-in off';
  /** of a login: chooses the message */
  readonly rule?: LocalSignInRule;
}

/**
 * Records a refused login, or a refused password, code or passkey within a session. Throws INVALID_CREDENTIALS after
 * the event is durable.
 */
export async function refuseLogin(
  store: AuditedStore,
  { userId, actor = 'system:anonymous', address, reason, rule }: Refusal,
): Promise<never> {
  await store.commit(
    { conditions: [], puts: [], deletes: [] },
    { actor, action: 'login.refused', subject: userId ?? 'unknown', details: { reason, address } },
  );
  throw refusedHere(rule);
}

/** Handles an invalid setup code or invitation. Throws its error code after the event is durable. */
export async function refuseCode(
  store: AuditedStore,
  code: 'SETUP_CODE_INVALID' | 'INVITATION_INVALID',
  address: string,
): Promise<never> {
  const action = code === 'SETUP_CODE_INVALID' ? 'setup.refused' : 'invitation.refused';
  await store.commit(
    { conditions: [], puts: [], deletes: [] },
    { actor: 'system:anonymous', action, subject: 'unknown', details: { address } },
  );
  throw new RegistryError(code);
}
