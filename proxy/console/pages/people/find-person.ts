// One person of a request, and the words that pages have for people.

import { actorOf } from '../../../auth/caller.ts';
import type { People } from '../../../auth/people.ts';
import type { Role } from '../../../core/tokens/person.ts';
import { showUser, type UserStatus, type UserView } from '../../../auth/user.ts';
import type { Users } from '../../../auth/users.ts';
import type { Redirect, SignedInRequest } from '../../frame/definitions.ts';
import type { State } from '../../components/notice.tsx';

export const roleChoices: readonly { readonly value: Role; readonly label: string; readonly hint: string }[] = [
  { value: 'viewer', label: 'Viewer', hint: 'Reads packages, repositories and statistics. Changes nothing.' },
  {
    value: 'maintainer',
    label: 'Maintainer',
    hint: 'Manages repositories, uploads, packages, and the tokens that they made themselves.',
  },
  { value: 'admin', label: 'Admin', hint: 'May do everything: people, settings, all tokens, and rollbacks too.' },
];

export const statusKinds: Readonly<Record<UserStatus, State>> = { active: 'good', invited: 'info', disabled: 'warn' };

/** The users on behalf of the visitor. */
export function usersFor(people: People, { caller }: SignedInRequest): Users {
  return people.usersOf(actorOf(caller));
}

/** The person in the path. Throws NOT_FOUND. */
export async function findPerson(people: People, request: SignedInRequest): Promise<UserView> {
  return showUser(await usersFor(people, request).get(request.param('id')));
}

export function personPath({ id }: Pick<UserView, 'id'>): string {
  return `/people/${id}`;
}

/** True if nobody else is an active admin: this person has to stay one. */
export async function isOnlyAdmin(people: People, request: SignedInRequest, { id }: UserView): Promise<boolean> {
  const admins = (await usersFor(people, request).list()).filter(
    ({ role, status }) => role === 'admin' && status === 'active',
  );
  return admins.length === 1 && admins[0]?.id === id;
}

/** The page after a change. A visitor whose own sessions have ended signs in again. */
export function afterEnding({ caller }: SignedInRequest, { id }: UserView, others: Redirect): Redirect {
  return caller.userId === id ? { to: '/sign-in', endsSession: true } : others;
}
