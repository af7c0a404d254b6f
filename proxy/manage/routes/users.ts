// Users over HTTP, for admins: the same service as `libretto user`.

import { z } from 'zod';
import { invitationLink, type InvitationPage } from '../../auth/invitation-link.ts';
import type { People } from '../../auth/people.ts';
import { showUser } from '../../auth/user.ts';
import type { ChangedUser } from '../../auth/users.ts';
import { actor, operation, type Api } from '../frame/api.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema } from '../../registry/fields.ts';
import { changedUser, userDraft, userPatch, userSchema } from '../schemas/user.ts';

export interface UserServices {
  readonly people: People;
  /** where an invited person chooses a password */
  readonly invitationPage: InvitationPage;
}

const tags = ['Users'];
const params = z.strictObject({ id: idSchema('usr', 'the user') });

const listUsers = operation({
  operationId: 'listUsers',
  method: 'get',
  path: '/api/users',
  tags,
  summary: 'List users',
  description: 'Oldest first.',
  request: { query: pageQuery },
  responses: {
    200: { description: 'a page of users', content: { 'application/json': { schema: pageOf(userSchema) } } },
  },
});

const createUser = operation({
  operationId: 'createUser',
  method: 'post',
  path: '/api/users',
  tags,
  summary: 'Invite a user',
  description:
    'The invitation appears only in this answer. It works once, within seven days. The invited user chooses ' +
    'the password.',
  request: { body: { required: true, content: { 'application/json': { schema: userDraft } } } },
  responses: {
    201: { description: 'the user, with the invitation', content: { 'application/json': { schema: changedUser } } },
  },
  errors: ['CONFLICT'],
});

const getUser = operation({
  operationId: 'getUser',
  method: 'get',
  path: '/api/users/{id}',
  tags,
  summary: 'Get a user',
  description: 'Includes disabled users, and users who have not accepted the invitation yet.',
  request: { params },
  responses: { 200: { description: 'the user', content: { 'application/json': { schema: userSchema } } } },
  errors: ['NOT_FOUND'],
});

const updateUser = operation({
  operationId: 'updateUser',
  method: 'patch',
  path: '/api/users/{id}',
  tags,
  summary: 'Change a user',
  description:
    'Only the given fields change. Disabling a user, or changing the role or a right, takes effect with the next ' +
    'request.',
  request: { params, body: { required: true, content: { 'application/json': { schema: userPatch } } } },
  responses: {
    200: {
      description: 'the changed user, with the invitation if one was requested',
      content: { 'application/json': { schema: changedUser } },
    },
  },
  errors: ['NOT_FOUND', 'LAST_ADMIN', 'CONFLICT'],
});

const deleteUser = operation({
  operationId: 'deleteUser',
  method: 'delete',
  path: '/api/users/{id}',
  tags,
  summary: 'Delete a user',
  description: 'The sessions of the user end at once. Tokens they created stay.',
  request: { params },
  responses: {
    200: { description: 'the deleted user', content: { 'application/json': { schema: userSchema } } },
  },
  errors: ['NOT_FOUND', 'LAST_ADMIN'],
});

export function registerUsers(api: Api, { people, invitationPage }: UserServices): void {
  const show = (changed: ChangedUser): z.infer<typeof changedUser> => showChange(changed, invitationPage);
  api.openapi(listUsers, async (context) => {
    const { data, next_cursor } = paginate(
      await people.usersOf(actor(context)).list(),
      context.req.valid('query'),
      ({ created_at, id }) => `${created_at} ${id}`,
    );
    return context.json({ data: data.map(showUser), next_cursor }, 200);
  });
  api.openapi(createUser, async (context) => {
    const { email, role, name = null } = context.req.valid('json');
    return context.json(show(await people.usersOf(actor(context)).create({ email, role, name })), 201);
  });
  api.openapi(getUser, async (context) =>
    context.json(showUser(await people.usersOf(actor(context)).get(context.req.valid('param').id)), 200),
  );
  api.openapi(updateUser, async (context) => {
    const { name, role, policy_editor: policyEditor, status, invite, reset_two_factor } = context.req.valid('json');
    const patch = {
      ...(name === undefined ? {} : { name }),
      ...(role && { role }),
      ...(policyEditor === undefined ? {} : { policyEditor }),
      ...(status && { status }),
      ...(invite && { invite }),
      ...(reset_two_factor && { resetTwoFactor: reset_two_factor }),
    };
    return context.json(show(await people.usersOf(actor(context)).update(context.req.valid('param').id, patch)), 200);
  });
  api.openapi(deleteUser, async (context) =>
    context.json(showUser(await people.usersOf(actor(context)).remove(context.req.valid('param').id)), 200),
  );
}

function showChange({ record, invitation }: ChangedUser, invitationPage: InvitationPage): z.infer<typeof changedUser> {
  if (invitation === undefined) return showUser(record);
  const { code, expires_at } = invitation;
  return {
    ...showUser(record),
    invitation: { token: code.reveal(), link: invitationLink(invitationPage, code.reveal()), expires_at },
  };
}
