// What can be done with users: the operations that API, commands and console call.

import { z } from 'zod';
import { invitationLink, type InvitationPage } from '../auth/invitation-link.ts';
import type { People } from '../auth/people.ts';
import { personalTokens } from '../auth/personal-tokens.ts';
import { isMadeByProvider, type UserRecord } from '../auth/user.ts';
import type { ChangedUser } from '../auth/users.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { idSchema } from '../registry/fields.ts';
import { operation, type FilledForm } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import { personPackages } from '../teams/person-packages.ts';
import { listTeams } from '../teams/team-roster.ts';
import {
  changedUser,
  newPassword,
  showUser,
  userDetails,
  userDraft,
  userPatch,
  userSchema,
  type ChangedUserDocument,
  type UserDetails,
} from './user-schema.ts';
import { ageOrder } from '../state/rows.ts';

export interface UserServices {
  readonly people: Pick<People, 'usersOf' | 'requestReset'>;
  /** where an invited person chooses a password */
  readonly invitationPage: InvitationPage;
  /** the state with the teams and the tokens */
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

const tag = 'Users';
const one = { tag, path: '/api/users/{id}', params: z.strictObject({ id: idSchema('usr', 'the user') }) } as const;

export const listUsers = operation({
  id: 'listUsers',
  method: 'get',
  path: '/api/users',
  tag,
  summary: 'List users',
  description: 'Oldest first.',
  query: pageQuery,
  answer: pageOf(userSchema),
  answers: 'a page of users',
  run: async ({ people }: UserServices, query, { actor }) => {
    const users = await people.usersOf(actor).list();
    const { data, next_cursor } = paginate(users, query, ageOrder);
    return { data: data.map(showUser), next_cursor };
  },
});

const created = {
  id: 'createUser',
  method: 'post',
  path: '/api/users',
  tag,
  summary: 'Invite a user',
  description:
    'The invitation appears only in this answer. It works once, within seven days. The invited user chooses ' +
    'the password.',
  status: 201,
  answer: changedUser,
  answers: 'the user, with the invitation',
  errors: ['CONFLICT'],
} as const;

export const createUser = operation({
  ...created,
  form: '/people/invite',
  body: userDraft,
  run: async (services: UserServices, draft, { actor }) =>
    showChange(services, await services.people.usersOf(actor).create(draft)),
});

/** Only on the host of the registry: no request and no link has the password. */
export const createUserWithPassword = operation({
  ...created,
  body: userDraft.extend({ password: newPassword }),
  run: async (services: UserServices, draft, { actor }) =>
    showChange(services, await services.people.usersOf(actor).create(draft)),
});

export const getUser = operation({
  ...one,
  id: 'getUser',
  method: 'get',
  summary: 'Get a user',
  description:
    'Includes disabled users, and users who have not accepted the invitation yet. With the identities, the teams, the ' +
    'visible packages and the terminals.',
  answer: userDetails,
  answers: 'the user',
  errors: ['NOT_FOUND'],
  run: async ({ people, state }: UserServices, { id }, { actor, nowMs }) =>
    showDetails(state, await people.usersOf(actor).get(id), nowMs),
});

export const updateUser = operation({
  ...one,
  id: 'updateUser',
  formFor: ({ id, ...patch }) => formOf(`/people/${id}`, patch),
  method: 'patch',
  summary: 'Change a user',
  description:
    'Only the given fields change. Disabling a user, or changing the role or a right, takes effect with the next ' +
    'request.',
  body: userPatch,
  answer: changedUser,
  answers: 'the changed user, with the invitation if one was requested',
  errors: ['NOT_FOUND', 'LAST_ADMIN', 'CONFLICT'],
  run: async (services: UserServices, { id, ...patch }, { actor }) => {
    const { policy_editor: policyEditor, reset_two_factor: resetTwoFactor, ...others } = patch;
    const users = services.people.usersOf(actor);
    return showChange(services, await users.update(id, { ...others, policyEditor, resetTwoFactor }));
  },
});

export const deleteUser = operation({
  ...one,
  id: 'deleteUser',
  form: '/people/:id/delete',
  method: 'delete',
  summary: 'Delete a user',
  description: 'The sessions of the user end at once. Tokens they created stay.',
  answer: userSchema,
  answers: 'the deleted user',
  errors: ['NOT_FOUND', 'LAST_ADMIN'],
  run: async ({ people }: UserServices, { id }, { actor }) => showUser(await people.usersOf(actor).remove(id)),
});

export const userOperations = [listUsers, createUser, getUser, updateUser, deleteUser];

/** Each change has its own form; several at once have none. */
function formOf(person: string, patch: z.output<typeof userPatch>): FilledForm | undefined {
  const [[field, value] = [], another] = Object.entries(patch).filter(([, given]) => given !== undefined);
  if (another !== undefined) return undefined;
  if (field === 'role') return { path: `${person}/role`, fields: { role: String(value) } };
  if (field === 'policy_editor') return { path: `${person}/policy-right`, fields: { policy_editor: value === true } };
  if (field === 'status') return { path: `${person}/${value === 'active' ? 'enable' : 'disable'}` };
  if (field === 'invite') return { path: `${person}/reset-link` };
  return field === 'reset_two_factor' ? { path: `${person}/reset-two-factor` } : undefined;
}

function showChange(
  { people, invitationPage }: UserServices,
  { record, invitation }: ChangedUser,
): ChangedUserDocument {
  if (invitation === undefined) return showUser(record);
  const token = invitation.code.reveal();
  return {
    ...showUser(record),
    invitation: {
      token,
      link: invitationLink(invitationPage, token),
      expires_at: invitation.expires_at,
      mailed: people.requestReset !== undefined,
      leaves_provider: isMadeByProvider(record),
    },
  };
}

async function showDetails(state: UserServices['state'], record: UserRecord, nowMs: number): Promise<UserDetails> {
  const [teams, packages, terminals] = await Promise.all([
    listTeams(state),
    personPackages(state, record),
    personalTokens(state, record.id, nowMs),
  ]);
  return {
    ...showUser(record),
    identities: (record.identities ?? []).map(({ issuer, subject, last_login_at }) => ({
      issuer,
      subject,
      last_login_at,
    })),
    teams: teams.filter(({ members }) => members.includes(record.id)).map(({ id, name }) => ({ id, name })),
    packages,
    tokens: terminals.map(({ id, description, expires_at }) => ({ id, description, expires_at })),
  };
}
