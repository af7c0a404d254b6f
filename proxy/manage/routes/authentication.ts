// Authentication over HTTP: setup, login, logout, the password, sessions.

import { z } from 'zod';
import type { LoggedIn } from '../../auth/login.ts';
import { viewOf, type SessionCaller, type TerminalCaller } from '../../auth/caller.ts';
import type { People } from '../../auth/people.ts';
import { ownUser, showUser, userSchema } from '../../people/user-schema.ts';
import { operation, type Call } from '../../registry/operation.ts';
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

const tag = 'Authentication';

const setup = operation({
  id: 'setup',
  method: 'post',
  path: '/api/auth/setup',
  tag,
  summary: 'Create the first admin',
  description:
    'Works only while no user exists, with the code that the server prints when it starts. The code works ' +
    'once, within an hour.',
  body: setupDraft,
  status: 201,
  answer: loggedIn,
  answers: 'the admin, logged in',
  errors: ['SETUP_DONE', 'SETUP_CODE_INVALID', 'TOO_MANY_ATTEMPTS'],
  run: async ({ people }: AuthenticationServices, { setup_code: code, ...draft }, { clientAddress }) =>
    showLogin(await people.setUp({ code, ...draft }, clientAddress)),
});

const login = operation({
  id: 'login',
  method: 'post',
  path: '/api/auth/login',
  tag,
  summary: 'Log in',
  description:
    'With two-factor authentication, the same request needs the code. Without the code, a right password gets ' +
    'the answer `TWO_FACTOR_REQUIRED`. A user may have 100 sessions; a new one ends the oldest.',
  body: loginDraft,
  answer: loggedIn,
  answers: 'a new session',
  errors: ['INVALID_CREDENTIALS', 'TWO_FACTOR_REQUIRED', 'TOO_MANY_ATTEMPTS'],
  run: async ({ people }: AuthenticationServices, credentials, { clientAddress }) =>
    showLogin(await people.login(credentials, clientAddress)),
});

const logout = operation({
  id: 'logout',
  method: 'post',
  path: '/api/auth/logout',
  tag,
  summary: 'Log out',
  description: 'Ends the session of this request at once.',
  answer: z.object({ id: idSchema('ses', 'the session') }),
  answers: 'the ended session',
  errors: ['NOT_FOUND'],
  run: async ({ people }: AuthenticationServices, _, call) => {
    const { userId, sessionId } = sessionOf(call);
    const { id } = await people.sessions.end(userId, sessionId, call.actor);
    return { id };
  },
});

const me = { path: '/api/auth/me', tag, answers: 'the user of this session', errors: ['NOT_FOUND'] } as const;

const getMe = operation({
  ...me,
  id: 'getMe',
  method: 'get',
  summary: 'Get your user',
  description: 'Requires a session; an API token has no user.',
  answer: ownUser,
  run: async ({ people }: AuthenticationServices, _, call) => {
    const caller = personOf(call);
    const user = showUser(await people.usersOf(call.actor).get(caller.userId));
    return { ...user, sees_all_packages: viewOf(caller) === undefined };
  },
});

const updateMe = operation({
  ...me,
  id: 'updateMe',
  method: 'patch',
  summary: 'Change your name and your mails',
  description: 'Others see the name beside the email address. Requires a session.',
  body: ownPatch,
  answer: userSchema,
  run: async ({ people }: AuthenticationServices, { name, mail_off: mailOff }, call) => {
    const patch = { ...(name === undefined ? {} : { name }), ...(mailOff === undefined ? {} : { mailOff }) };
    const { record } = await people.usersOf(call.actor).update(personOf(call).userId, patch);
    return showUser(record);
  },
});

const changePassword = operation({
  id: 'changePassword',
  method: 'post',
  path: '/api/auth/password',
  tag,
  summary: 'Change your password',
  description: 'Ends all sessions, including this one, and starts a new session.',
  body: passwordChange,
  answer: loggedIn,
  answers: 'the user and the new session',
  errors: ['INVALID_CREDENTIALS', 'TOO_MANY_ATTEMPTS'],
  run: async ({ people }: AuthenticationServices, { current_password: current, new_password: chosen }, call) =>
    showLogin(await accountOf(people, call).changePassword({ current, chosen })),
});

const acceptInvitation = operation({
  id: 'acceptInvitation',
  method: 'post',
  path: '/api/auth/invitations/accept',
  tag,
  summary: 'Accept an invitation',
  description: 'Sets the password of the invited user, who can then log in. Existing sessions of the user end.',
  body: acceptance,
  answer: userSchema,
  answers: 'the user',
  errors: ['INVITATION_INVALID', 'TOO_MANY_ATTEMPTS'],
  run: async ({ people }: AuthenticationServices, { token, password, name }, { clientAddress }) =>
    showUser(
      await people.acceptInvitation({ code: token, password, ...(name === undefined ? {} : { name }) }, clientAddress),
    ),
});

const listSessions = operation({
  id: 'listSessions',
  method: 'get',
  path: '/api/auth/sessions',
  tag,
  summary: 'List your sessions',
  description: 'Newest first.',
  query: pageQuery,
  answer: pageOf(sessionSchema),
  answers: 'a page of sessions',
  run: async ({ people }: AuthenticationServices, query, call) => {
    const { userId, sessionId } = sessionOf(call);
    const { data, next_cursor } = paginate(await people.sessions.list(userId), query, ageOrder, true);
    return { data: data.map((shown) => ({ ...shown, current: shown.id === sessionId })), next_cursor };
  },
});

const endSession = operation({
  id: 'endSession',
  method: 'delete',
  path: '/api/auth/sessions/{id}',
  tag,
  summary: 'End one of your sessions',
  description: 'Takes effect at once. The session of this request can be ended too.',
  params: z.strictObject({ id: idSchema('ses', 'the session') }),
  answer: sessionSchema,
  answers: 'the ended session',
  errors: ['NOT_FOUND'],
  run: async ({ people }: AuthenticationServices, { id }, call) => {
    const { userId, sessionId } = sessionOf(call);
    const shown = await people.sessions.end(userId, id, call.actor);
    return { ...shown, current: shown.id === sessionId };
  },
});

export const authenticationOperations = [
  setup,
  login,
  logout,
  getMe,
  updateMe,
  changePassword,
  acceptInvitation,
  listSessions,
  endSession,
];

export function showLogin({ token, expires_at, user }: LoggedIn): z.infer<typeof loggedIn> {
  return { token: token.reveal(), expires_at, user: showUser(user) };
}

/** The policy admits only people to these operations. */
export function personOf({ caller }: Call): SessionCaller | TerminalCaller {
  if (caller.kind === 'user') return caller;
  throw new Error('an operation for people was reached by nobody');
}

/** The policy admits only people to these operations, and its condition `session` only with a session. */
export function sessionOf({ caller }: Call): SessionCaller {
  if (caller.kind === 'user' && 'sessionId' in caller) return caller;
  throw new Error('an operation for sessions was reached without a session');
}

/** The caller's own account. */
export function accountOf(people: People, call: Call): ReturnType<People['account']> {
  return people.account(sessionOf(call).userId, call.clientAddress);
}
