// The page on which the first admin is created, with the code that the server printed. It is gone once there is a user.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { People } from '../../../auth/people.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink, Form, TextField } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import type { PageRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { browserSession } from './browser-session.ts';
import { NewPassword, newPassword } from './new-password.tsx';
import { CodeField, linkCodeOf, hasUnknownCode } from './one-time-code.tsx';

export function registerSetup(pages: Pages, people: People): void {
  pages.openForm({
    path: '/setup',
    operation: 'setup',
    show: async ({ query }, form) => {
      if (await people.isSetUp()) return { title: 'Accounts exist', status: 404, bare: true, content: <Gone /> };
      if (await hasUnknownCode({ query }, people.isSetupCode))
        return { title: 'This address is no longer valid', status: 404, bare: true, content: <WrongCode /> };
      const { shortestPassword } = await people.rules();
      return {
        title: 'Create the first admin',
        bare: true,
        content: (
          <Setup form={form} query={query} shortest={shortestPassword} hasMail={people.requestReset !== undefined} />
        ),
      };
    },
    submit: async (request, fields) => {
      if (await people.isSetUp()) throw new RegistryError('NOT_FOUND');
      const loggedIn = await people.setUp(draftOf(request, fields), request.clientAddress);
      return { to: '/overview', session: await browserSession(people, loggedIn) };
    },
  });
}

function draftOf(request: PageRequest, fields: FormFields): Parameters<People['setUp']>[0] {
  return {
    code: linkCodeOf(request, fields),
    email: fields.text('email'),
    name: fields.optional('name'),
    password: newPassword(fields, 'password'),
  };
}

interface SetupProps {
  readonly form: FormState;
  readonly query: URLSearchParams;
  readonly shortest: number;
  /** true: the registry sends mail */
  readonly hasMail: boolean;
}

function Setup({ form, query, shortest, hasMail }: SetupProps): Child {
  return (
    <>
      <h1>Create the first admin</h1>
      <p>An admin may do everything here, and invites the others.</p>
      <Form state={form} submit="Create the admin">
        <CodeField query={query} label="Setup code" hint="The server prints it when it starts: set_…" />
        <TextField
          name="email"
          label="Email"
          hint={hasMail ? 'You sign in with it.' : 'You sign in with it. The registry sends no mail.'}
          type="email"
          autocomplete="username"
          autofocus={!form.isPosted}
          required
        />
        <TextField name="name" label="Name" hint="As others see it. It may stay empty." autocomplete="name" />
        <NewPassword name="password" label="Password" shortest={shortest} />
      </Form>
    </>
  );
}

function WrongCode(): Child {
  return (
    <>
      <h1>This address is no longer valid</h1>
      <p>Its setup code is wrong or older than an hour. There is no user yet.</p>
      <LostSetupCode />
      <p>
        <A to="/setup">Enter another code</A>
      </p>
    </>
  );
}

/** The way of an operator to the first admin when the printed address is lost, used, or older than an hour. */
export function LostSetupCode(): Child {
  return (
    <>
      <p>Restart the server: it prints a new address, which is valid for an hour.</p>
      <p>Or create the first admin with this command, on the host of the registry:</p>
      <CodeBlock text="libretto user create --admin --email EMAIL" label="the command that creates the first admin" />
    </>
  );
}

function Gone(): Child {
  return (
    <>
      <h1>Accounts exist</h1>
      <p>So this page is closed. Sign in, or ask an admin for an invitation.</p>
      <p class="soft">
        There is no admin? Run on the host: <code>libretto user create --email EMAIL --admin --invite</code>. The admin
        has lost the invitation? <code>libretto user update EMAIL --invite</code>
      </p>
      <div class="row">
        <ButtonLink to="/sign-in" kind="primary" label="Sign in" />
      </div>
    </>
  );
}
