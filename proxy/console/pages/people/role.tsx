// Changing the role of a person, and the right to change the policy.

import type { People } from '../../../auth/people.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RadioGroup } from '../../components/radio-group.tsx';
import type { PageView, Redirect, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { roleIn } from './invite.tsx';
import { findPerson, personPath, roleChoices, usersFor } from './find-person.ts';
import { personQuestionView } from './question.tsx';

export function registerRole(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/role',
    operation: 'updateUser',
    show: (request, form) => ask(people, request, form),
    submit: (request, fields) => change(people, request, fields),
  });
}

async function ask(people: People, request: SignedInRequest, form: FormState): Promise<PageView> {
  const user = await findPerson(people, request);
  return {
    title: `Role of ${user.email}`,
    section: 'people',
    content: (
      <>
        <PageHead
          title={`Change the role of ${user.email}`}
          sentence="The new role counts from the next request. Sessions and tokens stay."
          trail={[{ label: 'People', to: '/people' }]}
        />
        <Form state={form} submit="Change role" cancel={personPath(user)} asksPassword={request.asksPassword}>
          <RadioGroup name="role" label="Role" choices={roleChoices} value={user.role} />
        </Form>
      </>
    ),
  };
}

/** Admins who give up their own role cannot open this person's page any more. */
async function change(people: People, request: SignedInRequest, fields: FormFields): Promise<Redirect> {
  const role = roleIn(fields);
  const { record } = await usersFor(people, request).update(request.param('id'), { role });
  if (record.id === request.caller.userId && role !== 'admin') return { to: '/account' };
  return { to: personPath(record), notice: 'role' };
}

// Giving a person the right to change the policy, and taking it away.

export function registerPolicyRight(pages: Pages, people: People): void {
  pages.form({
    path: '/people/:id/policy-right',
    operation: 'updateUser',
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
