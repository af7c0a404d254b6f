// Deleting an account.

import type { People } from '../../../auth/people.ts';
import type { Pages } from '../../frame/pages.ts';
import { personQuestionView } from './question.tsx';
import { afterEnding, findPerson, usersFor } from './find-person.ts';

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
