// A link with which a person chooses a password: for one who forgot it, and for one whose invitation is lost.

import { notNamed } from '../../../auth/local-sign-in.ts';
import type { People } from '../../../auth/people.ts';
import { isMadeByProvider, showUser, type UserView } from '../../../auth/user.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { linkView } from './invitation-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { personQuestionView } from './question.tsx';
import { findPerson, personPath, usersFor } from './find-person.ts';

export function registerResetLink(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/reset-link',
    operation: 'updateUser',
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
  const record = await usersFor(people, request).get(user.id);
  const inVain = notNamed(people.localSignIn, record);
  if (inVain !== undefined) return noLinkView(user, inVain);
  return user.status === 'invited'
    ? personQuestionView(form, {
        user,
        title: `Make a new invitation for ${user.email}?`,
        sentence: 'The next page shows a new link once. The earlier link ends.',
        submit: 'Make the invitation',
        asksPassword,
      })
    : personQuestionView(form, {
        user,
        title: `Make a reset link for ${user.email}?`,
        sentence: `The next page shows a link once. ${isMadeByProvider(record) ? leavesProvider : keepsPassword}`,
        submit: 'Make the link',
        asksPassword,
      });
}

const keepsPassword =
  'The present password works until the person uses the link. Then their sessions and terminals end.';
const leavesProvider =
  'When the person uses it, their sessions and terminals end, and the account leaves its identity provider: they sign in ' +
  'here with the password.';

/** `reason`: why a password would open nothing */
function noLinkView(user: UserView, reason: string): PageView {
  return {
    title: `No link for ${user.email}`,
    section: 'people',
    content: (
      <>
        <PageHead title={`No link for ${user.email}`} sentence="A password would open nothing here." />
        <Notice kind="warn">
          <MarkedText text={reason} />
        </Notice>
        <div class="row">
          <ButtonLink to={personPath(user)}>Back to the person</ButtonLink>
        </div>
      </>
    ),
  };
}
