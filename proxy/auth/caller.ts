// The caller of a management operation, after authentication.

import type { Actor } from '../state/audit.ts';
import type { View } from '../views/view.ts';
import type { ActiveToken } from './authenticate.ts';
import type { CallerClass, Role } from './policy.ts';

export interface SessionCaller {
  readonly kind: 'user';
  /** `usr_…` */
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  /** `ses_…` */
  readonly sessionId: string;
}

export type Caller =
  /** no credentials */
  | { readonly kind: 'nobody' }
  /** invalid credentials; open operations treat the caller as anonymous */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'token'; readonly token: ActiveToken }
  | SessionCaller;

export function callerClass(caller: Caller): CallerClass {
  if (caller.kind === 'user') return caller.role;
  return caller.kind === 'token' ? `${caller.token.kind} token` : 'nobody';
}

/** The caller's view of the published packages; undefined: all. People see all. */
export function viewOf(caller: Caller): View | undefined {
  return caller.kind === 'token' ? caller.token.view : undefined;
}

/** The caller's name in the audit log. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === 'user') return `user:${caller.userId}`;
  return caller.kind === 'token' ? `token:${caller.token.id}` : 'system:anonymous';
}
