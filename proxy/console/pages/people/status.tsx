// Disabling an account, and enabling it again.

import type { People } from '../../../auth/people.ts';
import type { Pages } from '../../frame/pages.ts';
import { personQuestionView } from './question.tsx';
import { afterEnding, findPerson, personPath, usersFor } from './find-person.ts';

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
