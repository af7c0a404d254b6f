// What the pages about people need, one person of a request, and the words that pages have for people.

import type { People } from '../../../auth/people.ts';
import { readUsers } from '../../../auth/user-records.ts';
import type { Role } from '../../../core/tokens/person.ts';
import { getUser, type UserServices } from '../../../people/operations.ts';
import type { UserDetails, UserDocument } from '../../../people/user-schema.ts';
import type { State } from '../../components/notice.tsx';
import type { Redirect, SignedInRequest } from '../../frame/definitions.ts';
import { fieldFault, type FormFields } from '../../request/form-fields.ts';
import { callFor } from '../../frame/operation-form.tsx';

export interface PeoplePageServices extends UserServices {
  readonly people: People;
}

export const peopleTrail = [{ label: 'People', to: '/people' }];

export const roleChoices: readonly { readonly value: Role; readonly label: string; readonly hint: string }[] = [
  { value: 'viewer', label: 'Viewer', hint: 'Reads packages, repositories and statistics. Changes nothing.' },
  {
    value: 'maintainer',
    label: 'Maintainer',
    hint: 'Manages repositories, uploads, packages, and the tokens that they made themselves.',
  },
  { value: 'admin', label: 'Admin', hint: 'May do everything: people, settings, all tokens, and rollbacks too.' },
];

/** Throws INVALID_INPUT. */
export function roleIn(fields: FormFields): Role {
  const choice = roleChoices.find(({ value }) => value === fields.text('role'));
  if (choice === undefined) throw fieldFault('role', 'Choose one of the roles.');
  return choice.value;
}

export const statusKinds: Readonly<Record<UserDocument['status'], State>> = {
  active: 'good',
  invited: 'info',
  disabled: 'warn',
};

/** The person in the path. Throws NOT_FOUND. */
export function findPerson(services: PeoplePageServices, request: SignedInRequest): Promise<UserDetails> {
  return callFor(services, request, getUser, { id: request.param('id') });
}

export function personPath({ id }: Pick<UserDocument, 'id'>): string {
  return `/people/${id}`;
}

/** True if nobody else is an active admin: this person has to stay one. */
export async function isOnlyAdmin({ state }: PeoplePageServices, { id }: UserDocument): Promise<boolean> {
  const users = await readUsers(state);
  const admins = users.filter(({ role, status }) => role === 'admin' && status === 'active');
  return admins.length === 1 && admins[0]?.id === id;
}

/** The page after a change. A visitor whose own sessions have ended signs in again. */
export function afterEnding({ caller, param }: SignedInRequest, others: Redirect): Redirect {
  return caller.userId === param('id') ? { to: '/sign-in', endsSession: true } : others;
}
