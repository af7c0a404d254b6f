// Inviting a person: an email and a role make an account, and a link with which the person chooses a password.

import type { People } from '../../../auth/people.ts';
import type { Role } from '../../../core/tokens/person.ts';
import { showUser } from '../../../auth/user.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RadioGroup } from '../../components/radio-group.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormFields, type FormState } from '../../request/form-fields.ts';
import { linkView } from './invitation-link.tsx';
import { roleChoices, usersFor } from './find-person.ts';

export function registerInvite(pages: Pages, people: People): void {
  pages.form({
    path: '/people/invite',
    operation: 'createUser',
    show: (request, form) => ask(people, request, form),
    submit: (request, fields) => invite(people, request, fields),
  });
}

function ask({ requestReset }: People, { asksPassword }: SignedInRequest, form: FormState): PageView {
  return {
    title: 'Invite a person',
    section: 'people',
    content: (
      <>
        <PageHead
          title="Invite a person"
          sentence={
            requestReset === undefined
              ? 'You get a link to send to them. With it they choose a password, and are signed in.'
              : 'They get a mail with a link. With it they choose a password, and are signed in.'
          }
          trail={[{ label: 'People', to: '/people' }]}
        />
        <Form state={form} submit="Make the invitation" cancel="/people" asksPassword={asksPassword}>
          <TextField name="email" label="Email" type="email" hint="They sign in with it: ada@example.org" required />
          <TextField name="name" label="Name" hint="May stay empty." />
          <RadioGroup name="role" label="Role" choices={roleChoices} />
        </Form>
      </>
    ),
  };
}

async function invite(people: People, request: SignedInRequest, fields: FormFields): Promise<PageView> {
  const draft = { email: fields.text('email'), name: fields.optional('name') ?? null, role: roleIn(fields) };
  const { record, invitation } = await usersFor(people, request).create(draft);
  if (invitation === undefined) throw new Error('a user without a password was created without an invitation');
  const sentence = 'The account is made. With this link the person chooses a password.';
  const isMailed = people.requestReset !== undefined;
  return linkView({ user: showUser(record), invitation, sentence, isMailed, request });
}

/** Throws INVALID_INPUT. */
export function roleIn(fields: FormFields): Role {
  const choice = roleChoices.find(({ value }) => value === fields.text('role'));
  if (choice === undefined) throw fieldFault('role', 'Choose one of the roles.');
  return choice.value;
}
