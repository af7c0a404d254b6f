// Authentication over HTTP: setup, login, logout, the password, sessions.

import { answering, body } from '../frame/json-content.ts';
import { z } from 'zod';
import type { LoggedIn } from '../../auth/login.ts';
import { viewOf, type SessionCaller } from '../../auth/caller.ts';
import type { People } from '../../auth/people.ts';
import { ownUser, showUser, userSchema } from '../../people/user-schema.ts';
import { actor, operation, type Api, type ApiContext } from '../frame/api.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema } from '../../registry/fields.ts';
import {
  acceptance,
  loggedIn,
  loginDraft,
  ownPatch,
  passwordChange,
  sessionSchema,
  setupDraft,
} from '../schemas/user.ts';
import { ageOrder } from '../../state/rows.ts';

export interface AuthenticationServices {
  readonly people: People;
}

const tags = ['Authentication'];
const session = answering(loggedIn, 'the user and the new session');

const setup = operation({
  operationId: 'setup',
  method: 'post',
  path: '/api/auth/setup',
  tags,
  summary: 'Create the first admin',
  description:
    'Works only while no user exists, with the code that the server prints when it starts. The code works ' +
    'once, within an hour.',
  request: { body: body(setupDraft) },
  responses: { 201: answering(loggedIn, 'the admin, logged in') },
  errors: ['SETUP_DONE', 'SETUP_CODE_INVALID', 'TOO_MANY_ATTEMPTS'],
});

const login = operation({
  operationId: 'login',
  method: 'post',
  path: '/api/auth/login',
  tags,
  summary: 'Log in',
  description:
    'With two-factor authentication, the same request needs the code. Without the code, a right password gets ' +
    'the answer `TWO_FACTOR_REQUIRED`. A user may have 100 sessions; a new one ends the oldest.',
  request: { body: body(loginDraft) },
  responses: { 200: answering(loggedIn, 'a new session') },
  errors: ['INVALID_CREDENTIALS', 'TWO_FACTOR_REQUIRED', 'TOO_MANY_ATTEMPTS'],
});

const logout = operation({
  operationId: 'logout',
  method: 'post',
  path: '/api/auth/logout',
  tags,
  summary: 'Log out',
  description: 'Ends the session of this request at once.',
  responses: { 200: answering(z.object({ id: idSchema('ses', 'the session') }), 'the ended session') },
  errors: ['NOT_FOUND'],
});

const getMe = operation({
  operationId: 'getMe',
  method: 'get',
  path: '/api/auth/me',
  tags,
  summary: 'Get your user',
  description: 'Requires a session; an API token has no user.',
  responses: { 200: answering(ownUser, 'the user of this session') },
  errors: ['NOT_FOUND'],
});

const updateMe = operation({
  operationId: 'updateMe',
  method: 'patch',
  path: '/api/auth/me',
  tags,
  summary: 'Change your name and your mails',
  description: 'Others see the name beside the email address. Requires a session.',
  request: { body: body(ownPatch) },
  responses: { 200: answering(userSchema, 'the user of this session') },
  errors: ['NOT_FOUND'],
});

const changePassword = operation({
  operationId: 'changePassword',
  method: 'post',
  path: '/api/auth/password',
  tags,
  summary: 'Change your password',
  description: 'Ends all sessions, including this one, and starts a new session.',
  request: { body: body(passwordChange) },
  responses: { 200: session },
  errors: ['INVALID_CREDENTIALS', 'TOO_MANY_ATTEMPTS'],
});

const acceptInvitation = operation({
  operationId: 'acceptInvitation',
  method: 'post',
  path: '/api/auth/invitations/accept',
  tags,
  summary: 'Accept an invitation',
  description: 'Sets the password of the invited user, who can then log in. Existing sessions of the user end.',
  request: { body: body(acceptance) },
  responses: { 200: answering(userSchema, 'the user') },
  errors: ['INVITATION_INVALID', 'TOO_MANY_ATTEMPTS'],
});

const listSessions = operation({
  operationId: 'listSessions',
  method: 'get',
  path: '/api/auth/sessions',
  tags,
  summary: 'List your sessions',
  description: 'Newest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(sessionSchema), 'a page of sessions') },
});

const endSession = operation({
  operationId: 'endSession',
  method: 'delete',
  path: '/api/auth/sessions/{id}',
  tags,
  summary: 'End one of your sessions',
  description: 'Takes effect at once. The session of this request can be ended too.',
  request: { params: z.strictObject({ id: idSchema('ses', 'the session') }) },
  responses: { 200: answering(sessionSchema, 'the ended session') },
  errors: ['NOT_FOUND'],
});

export function registerAuthentication(api: Api, { people }: AuthenticationServices): void {
  api.openapi(setup, async (context) => {
    const { setup_code, ...draft } = context.req.valid('json');
    return context.json(showLogin(await people.setUp({ code: setup_code, ...draft }, clientAddressOf(context))), 201);
  });
  api.openapi(login, async (context) =>
    context.json(showLogin(await people.login(context.req.valid('json'), clientAddressOf(context))), 200),
  );
  api.openapi(logout, async (context) => {
    const { userId, sessionId } = person(context);
    const { id } = await people.sessions.end(userId, sessionId, actor(context));
    return context.json({ id }, 200);
  });
  api.openapi(getMe, async (context) => {
    const user = showUser(await people.usersOf(actor(context)).get(userIdOf(context)));
    return context.json({ ...user, sees_all_packages: viewOf(context.env.caller) === undefined }, 200);
  });
  api.openapi(updateMe, async (context) => {
    const { name, mail_off: mailOff } = context.req.valid('json');
    const patch = { ...(name === undefined ? {} : { name }), ...(mailOff === undefined ? {} : { mailOff }) };
    const { record } = await people.usersOf(actor(context)).update(userIdOf(context), patch);
    return context.json(showUser(record), 200);
  });
  api.openapi(changePassword, async (context) => {
    const { current_password, new_password } = context.req.valid('json');
    return context.json(
      showLogin(await accountOf(people, context).changePassword({ current: current_password, chosen: new_password })),
      200,
    );
  });
  api.openapi(acceptInvitation, async (context) => {
    const { token, password, name } = context.req.valid('json');
    const user = await people.acceptInvitation(
      { code: token, password, ...(name === undefined ? {} : { name }) },
      clientAddressOf(context),
    );
    return context.json(showUser(user), 200);
  });
  registerSessions(api, people);
}

function registerSessions(api: Api, people: People): void {
  api.openapi(listSessions, async (context) => {
    const { userId, sessionId } = person(context);
    const { data, next_cursor } = paginate(
      await people.sessions.list(userId),
      context.req.valid('query'),
      ageOrder,
      true,
    );
    return context.json(
      { data: data.map((shown) => ({ ...shown, current: shown.id === sessionId })), next_cursor },
      200,
    );
  });
  api.openapi(endSession, async (context) => {
    const { userId, sessionId } = person(context);
    const shown = await people.sessions.end(userId, context.req.valid('param').id, actor(context));
    return context.json({ ...shown, current: shown.id === sessionId }, 200);
  });
}

export function showLogin({ token, expires_at, user }: LoggedIn): z.infer<typeof loggedIn> {
  return { token: token.reveal(), expires_at, user: showUser(user) };
}

/** The policy admits only people to these operations. */
export function userIdOf({ env: { caller } }: ApiContext): string {
  if (caller.kind === 'user') return caller.userId;
  throw new Error('an operation for people was reached by nobody');
}

/** The policy admits only people to these operations, and its condition `session` only with a session. */
export function person({ env: { caller } }: ApiContext): SessionCaller {
  if (caller.kind === 'user' && 'sessionId' in caller) return caller;
  throw new Error('an operation for sessions was reached without a session');
}

/** Of the client, as far as it can be trusted. */
export function clientAddressOf({ env: { exchange } }: ApiContext): string {
  return exchange.clientAddress;
}

/** The caller's own account. */
export function accountOf(people: People, context: ApiContext): ReturnType<People['account']> {
  return people.account(person(context).userId, clientAddressOf(context));
}
