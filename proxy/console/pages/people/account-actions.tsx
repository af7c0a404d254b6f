// What an admin does to an account: disable or enable it, turn off its second factor, end a session, delete it.

import type { People } from '../../../auth/people.ts';
import type { Pages } from '../../frame/pages.ts';
import { personQuestionView } from './question.tsx';
import { afterEnding, findPerson, personPath, usersFor } from './find-person.ts';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { PageView, Redirect, SignedInRequest } from '../../frame/definitions.ts';
import type { FormState } from '../../request/form-fields.ts';

export function registerPersonStatus(pages: Pages, people: People): void {
  registerDisabling(pages, people);
  registerEnabling(pages, people);
}

function registerDisabling(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/disable',
    operation: 'updateUser',
    isDangerous: true,
    show: async (request, form) => {
      const user = await findPerson(people, request);
      return personQuestionView(form, {
        user,
        title: `Disable ${user.email}?`,
        sentence:
          'Their sessions, terminals and open links end at once, and they cannot sign in. Tokens that they made for ' +
          'others go on working: revoke those yourself.',
        submit: 'Disable the account',
        asksPassword: request.asksPassword,
        isDanger: true,
      });
    },
    submit: async (request) => {
      const user = await findPerson(people, request);
      await usersFor(people, request).update(user.id, { status: 'disabled' });
      return afterEnding(request, user, { to: personPath(user), notice: 'disabled' });
    },
  });
}

function registerEnabling(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/enable',
    operation: 'updateUser',
    isDangerous: true,
    show: async (request, form) => {
      const user = await findPerson(people, request);
      return personQuestionView(form, {
        user,
        title: `Enable ${user.email}?`,
        sentence: `They can sign in again as ${user.role}. Somebody who never chose a password needs a new invitation.`,
        submit: 'Enable the account',
        asksPassword: request.asksPassword,
      });
    },
    submit: async (request) => {
      const user = await findPerson(people, request);
      await usersFor(people, request).update(user.id, { status: 'active' });
      return { to: personPath(user), notice: 'enabled' };
    },
  });
}

// Turning off two-factor authentication for a person who lost the second factor.

export function registerResetTwoFactor(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/reset-two-factor',
    operation: 'updateUser',
    isDangerous: true,
    show: async (request, form) => {
      const user = await findPerson(people, request);
      return personQuestionView(form, {
        user,
        title: `Turn off two-factor authentication for ${user.email}?`,
        sentence:
          'Their authenticator, passkeys, sessions and terminals end, and the password alone signs them in. Be sure that ' +
          'they asked you for it.',
        submit: 'Turn off two-factor',
        asksPassword: request.asksPassword,
        isDanger: true,
      });
    },
    submit: async (request) => {
      const user = await findPerson(people, request);
      await usersFor(people, request).update(user.id, { resetTwoFactor: true });
      return afterEnding(request, user, { to: personPath(user), notice: 'two-factor' });
    },
  });
}

// Ending a session of a person, by an admin.

export function registerEndSession(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/sessions/:session/end',
    operation: 'updateUser',
    show: (request, form) => ask(people, request, form),
    submit: (request) => end(people, request),
  });
}

async function ask(people: People, request: SignedInRequest, form: FormState): Promise<PageView> {
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

async function end(people: People, request: SignedInRequest): Promise<Redirect> {
  const { caller } = request;
  const user = await findPerson(people, request);
  const { id } = await people.sessions.end(user.id, request.param('session'), actorOf(caller));
  if (id === caller.sessionId) return { to: '/sign-in', endsSession: true };
  return { to: personPath(user), notice: 'session-ended' };
}

// Deleting an account.

export function registerDeletion(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/delete',
    operation: 'deleteUser',
    isDangerous: true,
    show: async (request, form) => {
      const user = await findPerson(people, request);
      return personQuestionView(form, {
        user,
        title: `Delete the account of ${user.email}?`,
        sentence:
          'Their sessions and terminals end at once. Tokens that they made for others go on working: revoke those yourself.',
        submit: 'Delete the account',
        asksPassword: request.asksPassword,
        isDanger: true,
      });
    },
    submit: async (request) => {
      const user = await findPerson(people, request);
      await usersFor(people, request).remove(user.id);
      return afterEnding(request, user, { to: '/people', notice: 'deleted' });
    },
  });
}
