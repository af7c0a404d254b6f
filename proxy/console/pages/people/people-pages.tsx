// The pages about people, for admins.

import type { Pages } from '../../frame/pages.ts';
import { invitedPerson, newLink } from './link-forms.tsx';
import { registerPeopleList } from './people-list.tsx';
import { registerPerson } from './person.tsx';
import {
  type PeoplePageServices,
  afterEnding,
  findPerson,
  peopleTrail,
  personPath,
  roleChoices,
  roleIn,
} from './services.ts';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import { deleteUser, updateUser } from '../../../people/operations.ts';
import { Form } from '../../components/form.tsx';
import { RadioGroup } from '../../components/radio-group.tsx';
import type { FormPage } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { operationForm } from '../../frame/operation-form.tsx';

const section = 'people';

// What an admin does about an account, each with its form: another role, a right, and the end of the account, of its
// second factor or of a session.

/** Admins who give up their own role cannot open this person's page any more. */
const changedRole = (services: PeoplePageServices): FormPage =>
  operationForm(services, updateUser, {
    section,
    path: '/people/:id/role',
    linked: ['role'],
    of: findPerson,
    view: (user) => ({
      title: `Change the role of ${user.email}`,
      sentence: 'The new role counts from the next request. Sessions and tokens stay.',
      trail: peopleTrail,
      submit: 'Change role',
      cancel: personPath(user),
      fields: <RadioGroup name="role" label="Role" choices={roleChoices} value={user.role} />,
    }),
    input: (request, fields) => ({ id: request.param('id'), role: roleIn(fields) }),
    done: (user, { caller, param }) =>
      user?.id === caller.userId && user.role !== 'admin'
        ? { to: '/account' }
        : { to: `/people/${param('id')}`, notice: 'role' },
  });

/** The right to change the policy: given to who lacks it, and taken from who has it. */
const changedRight = (services: PeoplePageServices): FormPage =>
  operationForm(services, updateUser, {
    section,
    path: '/people/:id/policy-right',
    linked: [],
    view: async (request) => {
      const user = await findPerson(services, request);
      const { email, role, policy_editor: isEditor } = user;
      // a link asks for what is so already
      const wanted = request.query.get('policy_editor');
      if (wanted !== null && (wanted === 'on') === isEditor) return { to: personPath(user) };
      return {
        title: isEditor ? `Take the right to change the policy from ${email}?` : `Let ${email} change the policy?`,
        sentence: isEditor
          ? `What they changed stays. They keep what the role ${role} allows.`
          : 'They may then decide which versions of all packages clients get. The role stays the same.',
        submit: isEditor ? 'Take the right away' : 'Give the right',
        cancel: personPath(user),
      };
    },
    input: async (request) => {
      const { id, policy_editor: isEditor } = await findPerson(services, request);
      return { id, policy_editor: !isEditor };
    },
    done: (user, { param }) => ({
      to: `/people/${param('id')}`,
      notice: user?.policy_editor === true ? 'policy' : 'policy-ended',
    }),
  });

const changedStatus = (services: PeoplePageServices, status: 'active' | 'disabled'): FormPage =>
  operationForm(services, updateUser, {
    section,
    path: `/people/:id/${status === 'disabled' ? 'disable' : 'enable'}`,
    linked: [],
    view: async (request) => {
      const user = await findPerson(services, request);
      const cancel = personPath(user);
      return status === 'disabled'
        ? {
            title: `Disable ${user.email}?`,
            sentence:
              'Their sessions, terminals and open links end at once, and they cannot sign in. Tokens that they made for ' +
              'others go on working: revoke those yourself.',
            submit: 'Disable the account',
            isDanger: true,
            cancel,
          }
        : {
            title: `Enable ${user.email}?`,
            sentence: `They can sign in again as ${user.role}. Somebody who never chose a password needs a new invitation.`,
            submit: 'Enable the account',
            cancel,
          };
    },
    input: ({ param }) => ({ id: param('id'), status }),
    done: (_user, request) => {
      const to = `/people/${request.param('id')}`;
      return status === 'disabled' ? afterEnding(request, { to, notice: 'disabled' }) : { to, notice: 'enabled' };
    },
  });

const withoutTwoFactor = (services: PeoplePageServices): FormPage =>
  operationForm(services, updateUser, {
    section,
    path: '/people/:id/reset-two-factor',
    linked: [],
    of: findPerson,
    view: (user) => ({
      title: `Turn off two-factor authentication for ${user.email}?`,
      sentence:
        'Their authenticator, passkeys, sessions and terminals end, and the password alone signs them in. Be sure that ' +
        'they asked you for it.',
      submit: 'Turn off two-factor',
      isDanger: true,
      cancel: personPath(user),
    }),
    input: ({ param }) => ({ id: param('id'), reset_two_factor: true as const }),
    done: (_user, request) => afterEnding(request, { to: `/people/${request.param('id')}`, notice: 'two-factor' }),
  });

const deletedPerson = (services: PeoplePageServices): FormPage =>
  operationForm(services, deleteUser, {
    section,
    of: findPerson,
    view: (user) => ({
      title: `Delete the account of ${user.email}?`,
      sentence:
        'Their sessions and terminals end at once. Tokens that they made for others go on working: revoke those yourself.',
      submit: 'Delete the account',
      cancel: personPath(user),
    }),
    input: ({ param }) => ({ id: param('id') }),
    done: (_user, request) => afterEnding(request, { to: '/people', notice: 'deleted' }),
  });

/** The API ends only sessions of the caller, so no operation does this. */
const endedSession = (services: PeoplePageServices): FormPage => ({
  path: '/people/:id/sessions/:session/end',
  operation: 'updateUser',
  asksNothing: true,
  show: async (request, state) => {
    const user = await findPerson(services, request);
    const sessions = await services.people.sessions.list(user.id);
    const session = sessions.find(({ id }) => id === request.param('session'));
    if (session === undefined) throw new RegistryError('NOT_FOUND', { message: 'This session has ended already.' });
    const title = `End the session of ${user.email} from ${session.address}?`;
    return headedPage(
      { section, title, sentence: 'That browser or program has to sign in again for its next request.' },
      <Form state={state} submit="End the session" cancel={personPath(user)} isDanger />,
    );
  },
  submit: async (request) => {
    const { caller } = request;
    const user = await findPerson(services, request);
    const { id } = await services.people.sessions.end(user.id, request.param('session'), actorOf(caller));
    if (id === caller.sessionId) return { to: '/sign-in', endsSession: true };
    return { to: personPath(user), notice: 'session-ended' };
  },
});

export function registerPeoplePages(pages: Pages, services: PeoplePageServices): void {
  registerPeopleList(pages, services);
  const forms = [invitedPerson, newLink, changedRole, changedRight, withoutTwoFactor, deletedPerson, endedSession];
  for (const form of forms) pages.form(form(services));
  for (const status of ['disabled', 'active'] as const) pages.form(changedStatus(services, status));
  registerPerson(pages, services);
}
