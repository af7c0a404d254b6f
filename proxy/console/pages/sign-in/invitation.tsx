// The page of an invitation and of a reset link: a person chooses a password with the code of an admin. The person is
// then signed in, or with two-factor authentication signs in with the new password.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { People } from '../../../auth/people.ts';
import { ButtonLink, Form, TextField } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import type { BrowserSession, PageRequest, Redirect } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { browserSession } from './browser-session.ts';
import { NewPassword, newPassword } from './new-password.tsx';
import { CodeField, linkCodeOf, hasUnknownCode } from './one-time-code.tsx';

export function registerInvitation(pages: Pages, people: People): void {
  pages.openForm({
    path: '/invitation',
    operation: 'acceptInvitation',
    show: async ({ query }, form) => {
      if (await hasUnknownCode({ query }, people.isInvitationCode))
        return {
          title: 'This link is no longer valid',
          status: 404,
          bare: true,
          content: <WrongCode hasMail={people.requestReset !== undefined} />,
        };
      const { shortestPassword } = await people.rules();
      return {
        title: 'Choose a password',
        bare: true,
        content: <Invitation form={form} query={query} shortest={shortestPassword} />,
      };
    },
    submit: (request, fields) => accept(people, request, fields),
  });
}

async function accept(people: People, request: PageRequest, fields: FormFields): Promise<Redirect> {
  const { clientAddress } = request;
  const password = newPassword(fields, 'password');
  const name = fields.optional('name');
  const acceptance = { code: linkCodeOf(request, fields), password, ...(name === undefined ? {} : { name }) };
  const { email } = await people.acceptInvitation(acceptance, clientAddress);
  const session = await trySignIn(people, { email, password }, clientAddress);
  return session === undefined
    ? { to: `/sign-in?email=${encodeURIComponent(email)}`, notice: 'password-chosen', endsSession: true }
    : { to: '/overview', session };
}

/** undefined: the person has to sign in with a code, or after a wait. */
async function trySignIn(
  people: People,
  credentials: { readonly email: string; readonly password: string },
  address: string,
): Promise<BrowserSession | undefined> {
  try {
    const reached = await people.twoStepLogin.begin(credentials, address);
    return 'user' in reached ? await browserSession(people, reached) : undefined;
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/** `hasMail`: the registry sends links for new passwords. */
function WrongCode({ hasMail }: { readonly hasMail: boolean }): Child {
  return (
    <>
      <h1>This link is no longer valid</h1>
      <p>
        It is wrong, {hasMail ? 'too old' : 'older than seven days'}, or it was used. A newer link replaces it, too.
      </p>
      <p>
        If you have chosen your password already, sign in with it. Otherwise{' '}
        <A to="/forgotten">{hasMail ? 'ask for a new link' : 'ask an admin for a new link'}</A>.
      </p>
      <div class="row">
        <ButtonLink to="/sign-in" kind="primary" label="Sign in" />
      </div>
    </>
  );
}

interface InvitationProps {
  readonly form: FormState;
  readonly query: URLSearchParams;
  readonly shortest: number;
}

function Invitation({ form, query, shortest }: InvitationProps): Child {
  return (
    <>
      <h1>Choose a password</h1>
      <p>
        Your account gets this password, and you are signed in here. Your other sessions and your terminals end. If a
        sign-in at an identity provider made the account, it leaves that provider, and its passkeys are removed.
      </p>
      <Form state={form} submit="Save the password">
        <CodeField query={query} label="Invitation" hint="It begins with inv_" />
        <TextField name="name" label="Name" hint="As others see it. May stay empty." autocomplete="name" />
        <NewPassword name="password" label="Password" shortest={shortest} />
      </Form>
    </>
  );
}
