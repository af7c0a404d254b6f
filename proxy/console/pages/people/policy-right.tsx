// Giving a person the right to change the policy, and taking it away.

import type { People } from '../../../auth/people.ts';
import type { Pages } from '../../frame/pages.ts';
import { personQuestionView } from './question.tsx';
import { findPerson, personPath, usersFor } from './find-person.ts';

export function registerPolicyRight(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/policy-right',
    operation: 'updateUser',
    isDangerous: true,
    show: async (request, form) => {
      const user = await findPerson(people, request);
      const asksPassword = request.asksPassword;
      return user.policy_editor
        ? personQuestionView(form, {
            user,
            title: `Take the right to change the policy from ${user.email}?`,
            sentence: `What they changed stays. They keep what the role ${user.role} allows.`,
            submit: 'Take the right away',
            asksPassword,
          })
        : personQuestionView(form, {
            user,
            title: `Let ${user.email} change the policy?`,
            sentence: 'They may then decide which versions of all packages clients get. The role stays the same.',
            submit: 'Give the right',
            asksPassword,
          });
    },
    submit: async (request) => {
      const user = await findPerson(people, request);
      await usersFor(people, request).update(user.id, { policyEditor: !user.policy_editor });
      return { to: personPath(user), notice: user.policy_editor ? 'policy-ended' : 'policy' };
    },
  });
}
