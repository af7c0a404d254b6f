// Turning off two-factor authentication, and renewing the recovery codes. Both ask for the password and a code.

import type { Child } from 'hono/jsx';
import { showUser } from '../../../people/user-schema.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { Account } from '../../../auth/account.ts';
import type { People } from '../../../auth/people.ts';
import { ButtonLink, Form } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { browserSession } from '../sign-in/browser-session.ts';
import { recoveryCodesView } from './two-factor.tsx';
import { refusedProof } from './refused-proof.ts';
import { ProofFields } from './question.tsx';

export function registerTwoFactorOff(pages: Pages, people: People): void {
  pages.form({
    path: '/account/two-factor/off',
    operation: 'disableTwoFactor',
    show: (request, form) =>
      askWhileOn(people, request, {
        form,
        title: 'Turn off two-factor authentication?',
        sentence:
          'Your authenticator and your recovery codes end. Your password alone signs you in then, unless you have a ' +
          'passkey.',
        submit: 'Turn it off',
        isDanger: true,
      }),
    submit: async ({ caller, clientAddress }, fields) => {
      const loggedIn = await proven(fields, (password, code) =>
        people.account(caller.userId, clientAddress).disableTwoFactor(password, code),
      );
      return { to: '/account', notice: 'two-factor-off', session: await browserSession(people, loggedIn) };
    },
  });
  pages.form({
    path: '/account/recovery-codes',
    operation: 'renewRecoveryCodes',
    show: (request, form) =>
      askWhileOn(people, request, {
        form,
        title: 'Renew your recovery codes?',
        sentence: 'You get ten new codes. The former codes are no longer valid.',
        submit: 'Renew the codes',
      }),
    submit: ({ caller, clientAddress }, fields) => renew(people.account(caller.userId, clientAddress), fields),
  });
}

async function renew(account: Account, fields: FormFields): Promise<PageOutcome> {
  const codes = await proven(fields, account.renewRecoveryCodes);
  return recoveryCodesView('The former codes are no longer valid.', codes);
}

/** Calls `work` with the password and the code of the form. */
function proven<Result>(
  fields: FormFields,
  work: (password: string, code: string) => Promise<Result>,
): Promise<Result> {
  return work(fields.secret('password'), fields.text('code')).catch(
    refusedProof('code', 'The password or the code is wrong, or the code was used. Enter both again.'),
  );
}

interface Question {
  readonly form: FormState;
  readonly title: string;
  /** what will happen */
  readonly sentence: string;
  readonly submit: string;
  readonly isDanger?: boolean;
}

async function askWhileOn(people: People, { caller }: SignedInRequest, asked: Question): Promise<PageView> {
  const user = showUser(await people.usersOf(actorOf(caller)).get(caller.userId));
  if (user.two_factor_enabled) return { title: asked.title, content: <ProofForm {...asked} /> };
  const sentence = 'There is nothing to turn off, and there are no recovery codes.';
  return headedPage(
    { title: 'Two-factor authentication is off', sentence },
    <div class="row">
      <ButtonLink to="/account/two-factor" icon="shield-check" label="Turn it on" />
      <A to="/account">Your account</A>
    </div>,
  );
}

function ProofForm({ form, title, sentence, submit, isDanger = false }: Question): Child {
  return (
    <>
      <h1>{title}</h1>
      <Form state={form} submit={submit} isDanger={isDanger} cancel="/account">
        <p>{sentence}</p>
        <ProofFields />
      </Form>
    </>
  );
}
