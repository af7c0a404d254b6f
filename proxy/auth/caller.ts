// The caller of a management operation, after authentication.

import type { Actor } from '../state/audit.ts';
import type { View } from '../core/views/view.ts';
import type { ActiveToken } from '../core/tokens/authenticate.ts';
import { callersOf, decidePermission, roles, type CallerClass, type Permission } from './permissions.ts';
import type { PersonRight, Role } from '../core/tokens/person.ts';

export interface SessionCaller {
  readonly kind: 'user';
  /** `usr_…` */
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  /** what an admin gave them beside the role; absent: nothing */
  readonly rights?: readonly PersonRight[];
  /** `ses_…` */
  readonly sessionId: string;
  /** when the session began, epoch milliseconds */
  readonly signedInMs: number;
  /** how the person can prove who they are within the session */
  readonly provesWith: { readonly password: boolean; readonly passkey: boolean };
  /** the identity provider at which they signed in; absent: here */
  readonly provider?: string;
  /** the packages of their teams; undefined: all packages */
  readonly view?: View | undefined;
}

/** A person by a token of `libretto login`. They have their role, without operations of the condition `session`. */
export interface TerminalCaller extends Omit<SessionCaller, 'sessionId' | 'signedInMs' | 'view' | 'provesWith'> {
  readonly token: ActiveToken;
}

export type Caller =
  /** no credentials */
  | { readonly kind: 'nobody' }
  /** invalid credentials; open operations treat the caller as anonymous */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'token'; readonly token: ActiveToken }
  | SessionCaller
  | TerminalCaller;

/** Somebody on the host of the registry, who may do everything. */
export interface Operator {
  readonly kind: 'operator';
  readonly actor: Actor;
}

export function callerClass(caller: Caller): CallerClass {
  if (caller.kind === 'user') return caller.role;
  return caller.kind === 'token' ? `${caller.token.kind} token` : 'nobody';
}

/** The caller with a token: its person, if it is a person's. */
export function callerOf(token: ActiveToken): Caller {
  if (token.person === undefined) return { kind: 'token', token };
  const { id: userId, email, role, rights } = token.person;
  return { kind: 'user', userId, email, role, token, ...(rights && { rights }) };
}

/** True for a person who uses a token, and has no session. */
export function isTerminal(caller: Caller): caller is TerminalCaller {
  return caller.kind === 'user' && 'token' in caller;
}

/** The caller's view of the published packages; undefined: all. */
export function viewOf(caller: Caller): View | undefined {
  if ('token' in caller) return caller.token.view;
  return caller.kind === 'user' ? caller.view : undefined;
}

/** The decision of the role policy on this caller. A token of `libretto login` may do less: condition `session`. */
export function decideFor(operation: Permission, caller: Caller): ReturnType<typeof decidePermission> {
  return decidePermission(operation, callerClass(caller), viewOf(caller) !== undefined, rightsOf(caller));
}

/** Why neither the role nor a right allows it, whatever the person sees; undefined: one of them does. */
export function roleRefusal(
  operation: Permission,
  { role, rights }: Pick<SessionCaller, 'role' | 'rights'>,
): string | undefined {
  if (decidePermission(operation, role, false, rights) === 'allowed') return undefined;
  const byRight = decidePermission(operation, role, false, ['policy editor']) === 'allowed';
  return byRight
    ? `The role ${role} may not do that without the right to change the policy. Ask an admin for it.`
    : `The role ${role} may not do that. It needs the role ${callersOf(operation).filter(isRole).join(' or ')}.`;
}

function isRole(caller: string): boolean {
  return roles.some((role) => role === caller);
}

function rightsOf(caller: Caller): readonly PersonRight[] {
  return caller.kind === 'user' ? (caller.rights ?? []) : [];
}

/** Why a person of teams may not do what the role allows. */
export const teamsRefusal =
  'You see only the packages of your teams, and this concerns the whole registry. Ask an admin for a team that sees all ' +
  'packages.';

/** The caller's name in the audit log. */
export function actorOf(caller: Caller | Operator): Actor {
  if (caller.kind === 'operator') return caller.actor;
  if (caller.kind === 'user') return `user:${caller.userId}`;
  return caller.kind === 'token' ? `token:${caller.token.id}` : 'system:anonymous';
}
