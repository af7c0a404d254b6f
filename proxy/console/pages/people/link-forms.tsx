// The forms that make a link with which a person chooses a password: an invitation, and a link for who forgot the
// password or lost the invitation.

import { actorOf } from '../../../auth/caller.ts';
import { notNamed } from '../../../auth/local-sign-in.ts';
import { isMadeByProvider } from '../../../auth/user.ts';
import { createUser, updateUser } from '../../../people/operations.ts';
import type { UserDetails, ChangedUserDocument } from '../../../people/user-schema.ts';
import { ButtonLink, TextField } from '../../components/form.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { RadioGroup } from '../../components/radio-group.tsx';
import type { FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { operationForm } from '../../frame/operation-form.tsx';
import { findPerson, peopleTrail, personPath, roleChoices, roleIn, type PeoplePageServices } from './services.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Time } from '../../components/values.tsx';

const section = 'people';

/** `sentence`: what the link is. Throws where no invitation was made. */
function linkView(
  user: ChangedUserDocument | undefined,
  sentence: string,
  { consoleOrigin }: SignedInRequest,
): PageView {
  const invitation = user?.invitation;
  if (user === undefined || invitation === undefined) throw new Error('an invitation was requested, and none was made');
  return headedPage(
    { section, title: `Link for ${user.email}`, sentence, trail: peopleTrail },
    <>
      <Notice kind="warn">Copy the link now. It is shown only this once, and whoever has it can use it.</Notice>
      <CodeBlock label="the link" text={`${consoleOrigin}${invitation.link}`} />
      <p>
        {invitation.mailed
          ? `A mail with this link is on its way to ${user.email}. Send it yourself if the mail does not arrive.`
          : `Send it to ${user.email} yourself: this server sends no email.`}{' '}
        It works once, and ends <Time at={invitation.expires_at} />.
      </p>
      <div class="row">
        <ButtonLink to={personPath(user)} kind="primary" label="I have copied it" />
      </div>
    </>,
  );
}

export const invitedPerson = (services: PeoplePageServices): FormPage =>
  operationForm(services, createUser, {
    section,
    view: () => ({
      title: 'Invite a person',
      sentence:
        services.people.requestReset === undefined
          ? 'You get a link to send to them. With it they choose a password, and are signed in.'
          : 'They get a mail with a link. With it they choose a password, and are signed in.',
      trail: peopleTrail,
      submit: 'Create invitation',
      fields: (
        <>
          <TextField name="email" label="Email" type="email" hint="They sign in with it: ada@example.org" required />
          <TextField name="name" label="Name" hint="May stay empty." />
          <RadioGroup name="role" label="Role" choices={roleChoices} />
        </>
      ),
    }),
    input: (_request, fields) => ({
      email: fields.text('email'),
      name: fields.optional('name') ?? null,
      role: roleIn(fields),
    }),
    done: (user, request) =>
      linkView(user, 'The account is made. With this link the person chooses a password.', request),
  });

export const newLink = (services: PeoplePageServices): FormPage =>
  operationForm(services, updateUser, {
    section,
    path: '/people/:id/reset-link',
    linked: [],
    view: async (request) => {
      const user = await findPerson(services, request);
      const record = await services.people.usersOf(actorOf(request.caller)).get(user.id);
      const inVain = notNamed(services.people.localSignIn, record);
      if (inVain !== undefined) return noLinkView(user, inVain);
      return user.status === 'invited'
        ? {
            title: `Create a new invitation for ${user.email}?`,
            sentence: 'The next page shows a new link once. The earlier link ends.',
            submit: 'Create invitation',
            cancel: personPath(user),
          }
        : {
            title: `Create a reset link for ${user.email}?`,
            sentence: `The next page shows a link once. ${isMadeByProvider(record) ? leavesProvider : keepsPassword}`,
            submit: 'Create link',
            cancel: personPath(user),
          };
    },
    input: ({ param }) => ({ id: param('id'), invite: true as const }),
    done: (user, request) =>
      linkView(user, 'With this link the person chooses a new password. An earlier link has ended.', request),
  });

const keepsPassword =
  'The present password works until the person uses the link. Then their sessions and terminals end.';
const leavesProvider =
  'When the person uses it, their sessions and terminals end, and the account leaves its identity provider: they sign in ' +
  'here with the password.';

/** `reason`: why a password would open nothing */
function noLinkView(user: UserDetails, reason: string): PageView {
  return headedPage(
    { section, title: `No link for ${user.email}`, sentence: 'A password would open nothing here.' },
    <>
      <Notice kind="warn">
        <MarkedText text={reason} />
      </Notice>
      <div class="row">
        <ButtonLink to={personPath(user)} label="Back to the person" />
      </div>
    </>,
  );
}
