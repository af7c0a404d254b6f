// Signing in and out. Each sign-in begins a new session, so nobody can prepare one for another person. A refusal does
// not tell whether an account exists.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { wrongHere } from '../../../auth/local-sign-in.ts';
import type { LoggedIn } from '../../../auth/login.ts';
import type { People } from '../../../auth/people.ts';
import { hasAuthenticator } from '../../../auth/user.ts';
import { secondFactorsOf } from '../../../auth/two-step-login.ts';
import type { Passkeys } from '../../../passkeys/passkeys.ts';
import { isPasskeySite, passkeySite } from '../../../passkeys/site.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { passkeyAnswer } from '../../request/passkey-fields.ts';
import { emptyForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { browserSession } from './browser-session.ts';
import { nextPage } from './next-page.ts';
import type { OfferedProvider } from './provider-buttons.tsx';
import { codeStep, passwordStep } from './sign-in-view.tsx';

interface SignInParts {
  readonly people: People;
  readonly passkeys: Passkeys;
  readonly providers: readonly OfferedProvider[];
}

export function registerSignIn(pages: Pages, parts: SignInParts): void {
  const { people } = parts;
  pages.openForm({
    path: '/sign-in',
    operation: 'login',
    notices: {
      'signed-out': 'You are signed out.',
      'signed-out-here':
        'You are signed out here. Your identity provider cannot be reached now, so you may still be signed in there.',
      'password-chosen': 'Your password is saved. Sign in with it.',
    },
    show: (request, form) =>
      request.caller === undefined
        ? showStep(parts, request, form)
        : { to: nextPage(pages, request.query.get('next')) },
    submit: async (request, fields) => {
      const reached = await submitStep(parts, request, fields);
      return 'user' in reached
        ? { to: nextPage(pages, request.query.get('next')), session: await browserSession(people, reached) }
        : reached;
    },
  });
}

async function showStep(parts: SignInParts, request: PageRequest, form: FormState): Promise<PageView> {
  const { people } = parts;
  const proof = form.fields.secret('proof');
  const person = proof === '' ? undefined : await people.twoStepLogin.personOf(proof);
  if (person !== undefined) return codeStep(form, proof, secondFactorsOf(person.record));
  return firstStep(parts, request, { form, isSetUp: await people.isSetUp() });
}

function firstStep(
  { providers }: SignInParts,
  { query, consoleOrigin }: PageRequest,
  shown: { readonly form: FormState; readonly isSetUp: boolean; readonly isLate?: boolean },
): PageView {
  const [email, next] = [query.get('email') ?? '', query.get('next')];
  return passwordStep({ ...shown, email, hasPasskeys: isPasskeySite(consoleOrigin), providers, next });
}

/** The login, or the page of the step that is missing. Throws INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS. */
async function submitStep(parts: SignInParts, request: PageRequest, fields: FormFields): Promise<LoggedIn | PageView> {
  const { people, passkeys } = parts;
  const { twoStepLogin, localSignIn } = people;
  const { clientAddress, consoleOrigin } = request;
  const proof = fields.secret('proof');
  const answer = passkeyAnswer(fields, proof === '' ? 'sign-in' : 'second-step');
  if (answer !== undefined) {
    const place = { site: passkeySite(consoleOrigin), address: clientAddress };
    return proof === ''
      ? passkeys.signIn(answer, place)
      : ((await passkeys.finishSignIn(proof, answer, place)) ?? lateStep(parts, request));
  }
  if (proof === '') {
    const credentials = { email: fields.text('email'), password: fields.secret('password') };
    const reached = await twoStepLogin
      .begin(credentials, clientAddress)
      .catch(refusal(localSignIn === undefined ? 'The email or the password is wrong.' : wrongHere(localSignIn)));
    return 'proof' in reached ? codeStep(emptyForm, reached.proof.reveal(), reached.takes) : reached;
  }
  const person = (await twoStepLogin.personOf(proof))?.record;
  const loggedIn = await twoStepLogin
    .finish(proof, fields.text('code'), clientAddress)
    .catch(refusal(person === undefined || hasAuthenticator(person) ? wrongCode : wrongRecoveryCode));
  return loggedIn ?? lateStep(parts, request);
}

const wrongCode = 'The code is wrong or used. Enter the code that your authenticator shows now.';
const wrongRecoveryCode = 'This recovery code is wrong or used. Enter another one, or use a passkey.';

function lateStep(parts: SignInParts, request: PageRequest): PageView {
  return firstStep(parts, request, { form: emptyForm, isSetUp: true, isLate: true });
}

/** INVALID_CREDENTIALS with the words of this step. */
function refusal(message: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof RegistryError && error.code === 'INVALID_CREDENTIALS')
      throw new RegistryError('INVALID_CREDENTIALS', { message, cause: error });
    throw error;
  };
}
