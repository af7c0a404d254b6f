// Signing in and out. Each sign-in begins a new session, so nobody can prepare one for another person. A refusal does
// not tell whether an account exists.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { LoggedIn } from '../../../auth/login.ts';
import type { People } from '../../../auth/people.ts';
import { Form } from '../../components/form.tsx';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { begunSession } from './begun-session.ts';
import { nextPage } from './next-page.ts';
import { codeStep, passwordStep } from './sign-in-view.tsx';

export function registerSignIn(pages: Pages, people: People): void {
  pages.openForm({
    path: '/sign-in',
    operation: 'login',
    notices: {
      'signed-out': 'You are signed out.',
      'password-chosen': 'Your password is saved. Sign in with it.',
    },
    show: (request, form) =>
      request.caller === undefined
        ? showStep(people, request, form)
        : { to: nextPage(pages, request.query.get('next')) },
    submit: async (request, fields) => {
      const reached = await takeStep(people, request, fields);
      return 'user' in reached
        ? { to: nextPage(pages, request.query.get('next')), session: await begunSession(people, reached) }
        : reached;
    },
  });
  pages.form({
    path: '/sign-out',
    operation: 'logout',
    show: (_request, form) => ({
      title: 'Sign out?',
      bare: true,
      content: (
        <>
          <h1>Sign out?</h1>
          <Form state={form} submit="Sign out" cancel="/overview">
            <p>This browser forgets you. Your other sessions stay.</p>
          </Form>
        </>
      ),
    }),
    submit: async ({ caller }) => {
      await people.sessions.end(caller.userId, caller.sessionId, actorOf(caller));
      return { to: '/sign-in', notice: 'signed-out', endsSession: true };
    },
  });
}

async function showStep(people: People, { query }: PageRequest, form: FormState): Promise<PageView> {
  const proof = form.fields.secret('proof');
  if (proof !== '') return codeStep(form, proof);
  return passwordStep({ form, email: query.get('email') ?? '', isSetUp: await people.isSetUp() });
}

/** The login, or the page of the step that is missing. Throws INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS. */
async function takeStep(
  { twoStepLogin }: People,
  { clientAddress }: PageRequest,
  fields: FormFields,
): Promise<LoggedIn | PageView> {
  const proof = fields.secret('proof');
  if (proof === '') {
    const credentials = { email: fields.text('email'), password: fields.secret('password') };
    const reached = await twoStepLogin
      .begin(credentials, clientAddress)
      .catch(refusal('The email or the password is wrong.'));
    return 'proof' in reached ? codeStep(emptyForm, reached.proof.reveal()) : reached;
  }
  const loggedIn = await twoStepLogin
    .finish(proof, fields.text('code'), clientAddress)
    .catch(refusal('The code is wrong or used. Enter the code that your authenticator shows now.'));
  return loggedIn ?? passwordStep({ form: emptyForm, email: '', isSetUp: true, isLate: true });
}

/** INVALID_CREDENTIALS with the words of this step. */
function refusal(message: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof RegistryError && error.code === 'INVALID_CREDENTIALS')
      throw new RegistryError('INVALID_CREDENTIALS', { message, cause: error });
    throw error;
  };
}
