// A link with which a person chooses a password: for one who forgot it, and for one whose invitation is lost.

import type { People } from '../../../auth/people.ts';
import { showUser } from '../../../auth/user.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { linkView } from './invitation-link.tsx';
import { questionView } from './question.tsx';
import { findPerson, usersFor } from './shown-person.ts';

export function registerResetLink(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/reset-link',
    operation: 'updateUser',
    isDangerous: true,
    show: (request, form) => ask(people, request, form),
    submit: async (request) => {
      const { record, invitation } = await usersFor(people, request).update(request.param('id'), { invite: true });
      if (invitation === undefined) throw new Error('an invitation was requested, and none was made');
      const sentence = 'With this link the person chooses a new password. An earlier link has ended.';
      const isMailed = people.requestReset !== undefined;
      return linkView({ user: showUser(record), invitation, sentence, isMailed, request });
    },
  });
}

async function ask(people: People, request: SignedInRequest, form: FormState): Promise<PageView> {
  const user = await findPerson(people, request);
  const { asksPassword } = request;
  return user.status === 'invited'
    ? questionView(form, {
        user,
        title: `Make a new invitation for ${user.email}?`,
        sentence: 'The next page shows a new link once. The earlier link ends.',
        submit: 'Make the invitation',
        asksPassword,
      })
    : questionView(form, {
        user,
        title: `Make a reset link for ${user.email}?`,
        sentence: 'The next page shows a link once. The present password works until the person uses the link.',
        submit: 'Make the link',
        asksPassword,
      });
}
