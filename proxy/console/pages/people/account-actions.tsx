// The actions of an admin on an account, each with its question: the person is disabled, enabled or deleted, gets rid of
// a lost second factor, or loses a session.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { People } from '../../../auth/people.ts';
import type { UserView } from '../../../auth/user.ts';
import type { Users } from '../../../auth/users.ts';
import type { PageView, Redirect, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { afterEnding, findPerson, personPath, usersFor } from './find-person.ts';
import { personQuestionView } from './question.tsx';

interface AccountAction {
  readonly path: string;
  readonly operation: 'updateUser' | 'deleteUser';
  /** the title of the question */
  readonly title: (user: UserView) => string;
  /** what will happen */
  readonly sentence: (user: UserView) => string;
  /** the words on the button */
  readonly submit: string;
  /** true: it ends the sessions of the account */
  readonly isDanger: boolean;
  readonly run: (users: Users, user: UserView) => Promise<unknown>;
  readonly next: (user: UserView) => Redirect;
}

const actions: readonly AccountAction[] = [
  {
    path: '/people/:id/disable',
    operation: 'updateUser',
    title: ({ email }) => `Disable ${email}?`,
    sentence: () =>
      'Their sessions, terminals and open links end at once, and they cannot sign in. Tokens that they made for ' +
      'others go on working: revoke those yourself.',
    submit: 'Disable the account',
    isDanger: true,
    run: (users, { id }) => users.update(id, { status: 'disabled' }),
    next: (user) => ({ to: personPath(user), notice: 'disabled' }),
  },
  {
    path: '/people/:id/enable',
    operation: 'updateUser',
    title: ({ email }) => `Enable ${email}?`,
    sentence: ({ role }) =>
      `They can sign in again as ${role}. Somebody who never chose a password needs a new invitation.`,
    submit: 'Enable the account',
    isDanger: false,
    run: (users, { id }) => users.update(id, { status: 'active' }),
    next: (user) => ({ to: personPath(user), notice: 'enabled' }),
  },
  {
    path: '/people/:id/reset-two-factor',
    operation: 'updateUser',
    title: ({ email }) => `Turn off two-factor authentication for ${email}?`,
    sentence: () =>
      'Their authenticator, passkeys, sessions and terminals end, and the password alone signs them in. Be sure that ' +
      'they asked you for it.',
    submit: 'Turn off two-factor',
    isDanger: true,
    run: (users, { id }) => users.update(id, { resetTwoFactor: true }),
    next: (user) => ({ to: personPath(user), notice: 'two-factor' }),
  },
  {
    path: '/people/:id/delete',
    operation: 'deleteUser',
    title: ({ email }) => `Delete the account of ${email}?`,
    sentence: () =>
      'Their sessions and terminals end at once. Tokens that they made for others go on working: revoke those yourself.',
    submit: 'Delete the account',
    isDanger: true,
    run: (users, { id }) => users.remove(id),
    next: () => ({ to: '/people', notice: 'deleted' }),
  },
];

export function registerAccountActions(pages: Pages, people: People): void {
  for (const action of actions) registerAction(pages, people, action);
  pages.form({
    path: '/people/:id/sessions/:session/end',
    operation: 'updateUser',
    asksNothing: true,
    show: (request, form) => askEndSession(people, request, form),
    submit: (request) => endSession(people, request),
  });
}

function registerAction(pages: Pages, people: People, action: AccountAction): void {
  const { path, operation, title, sentence, submit, isDanger, run, next } = action;
  pages.form({
    path,
    operation,
    show: async (request, form) => {
      const user = await findPerson(people, request);
      const { asksPassword } = request;
      return personQuestionView(form, {
        user,
        title: title(user),
        sentence: sentence(user),
        submit,
        asksPassword,
        isDanger,
      });
    },
    submit: async (request) => {
      const user = await findPerson(people, request);
      await run(usersFor(people, request), user);
      return isDanger ? afterEnding(request, user, next(user)) : next(user);
    },
  });
}

async function askEndSession(people: People, request: SignedInRequest, form: FormState): Promise<PageView> {
  const user = await findPerson(people, request);
  const session = (await people.sessions.list(user.id)).find(({ id }) => id === request.param('session'));
  if (session === undefined) throw new RegistryError('NOT_FOUND', { message: 'This session has ended already.' });
  return personQuestionView(form, {
    user,
    title: `End the session of ${user.email} from ${session.address}?`,
    sentence: 'That browser or program has to sign in again for its next request.',
    submit: 'End the session',
    isDanger: true,
  });
}

async function endSession(people: People, request: SignedInRequest): Promise<Redirect> {
  const { caller } = request;
  const user = await findPerson(people, request);
  const { id } = await people.sessions.end(user.id, request.param('session'), actorOf(caller));
  if (id === caller.sessionId) return { to: '/sign-in', endsSession: true };
  return { to: personPath(user), notice: 'session-ended' };
}
