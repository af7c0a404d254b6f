// What to do without the password or the second factor. A registry that sends mail sends a link for a new password.
// With another one, an admin hands over a link.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { elsewhere, type LocalSignInRule } from '../../../auth/local-sign-in.ts';
import type { People, RequestReset } from '../../../auth/people.ts';
import { waitAfter, waitInWords } from '../../../core/http/wait-before-retry.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Form, TextField } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import type { PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormState } from '../../request/form-fields.ts';

const path = '/forgotten';
const operation = 'login';
const title = 'Forgotten your password?';

export function registerForgotten(pages: Pages, { requestReset, localSignIn: rule }: People): void {
  if (requestReset === undefined)
    pages.openPage({ path, operation, show: () => ({ title, bare: true, content: <WithoutMail rule={rule} /> }) });
  else registerRequest(pages, requestReset, rule);
}

/** The answer is the same for an address without an account. */
function registerRequest(pages: Pages, requestReset: RequestReset, rule: LocalSignInRule): void {
  pages.openForm({
    path,
    operation,
    notices: {
      sent: 'If there is an account for this address, a mail with a link is on its way. The link works for one hour.',
    },
    show: ({ query }, form) =>
      query.get('notice') === 'sent' ? sentView() : askView(form, query.get('email') ?? '', rule),
    submit: async ({ clientAddress }, fields) => {
      const email = fields.text('email');
      if (email === '') throw fieldFault('email', 'Enter your e-mail address.');
      await requestReset(email, clientAddress).catch(withOwnWords);
      return { to: path, notice: 'sent' };
    },
  });
}

/** The limit counts requests, and no wrong passwords. */
function withOwnWords(error: unknown): never {
  if (!(error instanceof RegistryError) || error.code !== 'TOO_MANY_ATTEMPTS') throw error;
  const wait = waitAfter(error);
  const again = wait === undefined ? 'later' : `in ${waitInWords(wait)}`;
  const message = `A link was asked for several times. Look for the mail among the unwanted ones, too, or ask again ${again}.`;
  throw new RegistryError('TOO_MANY_ATTEMPTS', { message, details: error.details, cause: error });
}

function askView(form: FormState, email: string, rule: LocalSignInRule): PageView {
  return {
    title,
    bare: true,
    content: (
      <>
        <h1>{title}</h1>
        <ForNamedAdmins rule={rule} />
        <p>You get a mail with a link to choose a new password. Until then, the old password stays valid.</p>
        <Form state={form} submit="Send the link">
          <TextField
            name="email"
            label="Email"
            type="email"
            hint="The address that you sign in with."
            value={email}
            autocomplete="username"
            autofocus
            required
          />
        </Form>
        <details>
          <summary>No mail arrives, or the second factor is lost</summary>
          <div class="stack-tight">
            <p>
              Ask an admin of this registry: an admin can make the link, and turn off your two-factor authentication.
            </p>
            <OnTheHost />
          </div>
        </details>
        <BackToSignIn />
      </>
    ),
  };
}

function sentView(): PageView {
  return {
    title: 'Look into your mailbox',
    bare: true,
    content: (
      <>
        <h1>Look into your mailbox</h1>
        <p>
          The mail can take some minutes. If none arrives, look among the unwanted mails, or <A to={path}>ask again</A>.
        </p>
        <BackToSignIn />
      </>
    ),
  };
}

/** Says that only the named admins have a password here. Without the setting localSignIn it shows nothing. */
function ForNamedAdmins({ rule }: { readonly rule: LocalSignInRule }): Child {
  if (rule === undefined) return null;
  return (
    <p>
      Passwords of this registry work only for a few named admins with a second factor (setting localSignIn). Everybody
      else signs in {elsewhere(rule)}, and changes the password there. What follows is for the named admins.
    </p>
  );
}

function WithoutMail({ rule }: { readonly rule: LocalSignInRule }): Child {
  return (
    <>
      <h1>{title}</h1>
      <ForNamedAdmins rule={rule} />
      <p>
        Ask an admin of this registry for a reset link. With the link you choose a new password. Until then, the old
        password stays valid.
      </p>
      <p>
        If you lost your authenticator and your recovery codes, an admin can turn off your two-factor authentication.
      </p>
      <h2>No admin can sign in?</h2>
      <OnTheHost />
      <BackToSignIn />
    </>
  );
}

function OnTheHost(): Child {
  return (
    <>
      <p>On the host of the registry, this command prints an invitation:</p>
      <CodeBlock text="libretto user update EMAIL --invite" label="the command that prints an invitation" />
      <p>
        With it, <A to="/invitation">choose a new password</A>.
      </p>
      <p>This command turns off two-factor authentication:</p>
      <CodeBlock
        text="libretto user update EMAIL --reset-two-factor"
        label="the command that turns off two-factor authentication"
      />
    </>
  );
}

function BackToSignIn(): Child {
  return (
    <p>
      <A to="/sign-in">Back to the sign-in page</A>
    </p>
  );
}
