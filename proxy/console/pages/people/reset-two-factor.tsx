// Turning off two-factor authentication for a person who lost the second factor.

import type { People } from '../../../auth/people.ts';
import type { Pages } from '../../frame/pages.ts';
import { personQuestionView } from './question.tsx';
import { afterEnding, findPerson, personPath, usersFor } from './find-person.ts';

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
