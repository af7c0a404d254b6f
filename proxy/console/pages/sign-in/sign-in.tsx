// Signing in and out. Each sign-in begins a new session, so nobody can prepare one for another person. A refusal does
// not tell whether an account exists.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { wrongHere } from '../../../auth/local-sign-in.ts';
import type { LoggedIn } from '../../../auth/login.ts';
import type { People } from '../../../auth/people.ts';
import { hasAuthenticator } from '../../../auth/user.ts';
import { secondFactorsOf, type FirstStep } from '../../../auth/two-step-login.ts';
import type { Passkeys } from '../../../passkeys/passkeys.ts';
import { isPasskeySite, passkeySite } from '../../../passkeys/site.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { passkeyAnswer } from '../../request/passkey-fields.ts';
import { emptyForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { browserSession } from './browser-session.ts';
import { nextPage } from './next-page.ts';
import { type OfferedProvider, ProviderButtons } from './provider-buttons.tsx';
import type { Child } from 'hono/jsx';
import { Form, TextField } from '../../components/form.tsx';
import { PasskeyButton } from '../../components/passkey-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { LostSetupCode } from './setup.tsx';

// The two steps of signing in: email and password, then the code of accounts with two-factor authentication.

interface PasswordStepProps {
  readonly form: FormState;
  /** before anything was typed */
  readonly email: string;
  /** false: there is no user yet */
  readonly isSetUp: boolean;
  /** the code did not arrive in time */
  readonly isLate?: boolean;
  readonly providers: readonly OfferedProvider[];
  /** the page to go to afterwards, as the address has it */
  readonly next: string | null;
  /** false: browsers have no passkeys at this address */
  readonly hasPasskeys?: boolean;
}

function passwordStep(props: PasswordStepProps): PageView {
  return { title: 'Sign in', bare: true, content: <PasswordStep {...props} /> };
}

/** `proof`: that the password was right. `takes`: the second factors of the account. */
function codeStep(form: FormState, proof: string, takes: FirstStep['takes']): PageView {
  const title = takes.passkey ? 'Second factor' : 'Enter the code';
  return { title, bare: true, content: <CodeStep form={form} proof={proof} title={title} takes={takes} /> };
}

function PasswordStep(props: PasswordStepProps): Child {
  const { form, email, isSetUp, isLate = false, hasPasskeys = true, providers, next } = props;
  const known = form.isPosted ? form.fields.text('email') : email;
  const hasEmail = known !== '';
  return (
    <>
      <h1>Sign in</h1>
      {isSetUp ? null : <NobodyYet />}
      {isLate ? <Notice kind="warn">More than five minutes have passed. Enter your password again.</Notice> : null}
      <ProviderButtons providers={providers} next={next} />
      <Form state={form} submit="Sign in">
        <TextField
          name="email"
          label="Email"
          type="email"
          value={email}
          autocomplete="username"
          autofocus={!hasEmail}
          required
        />
        <TextField
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          autofocus={hasEmail}
          required
        />
      </Form>
      {isSetUp && hasPasskeys ? (
        <form class="stack-tight" method="post">
          <PasskeyButton purpose="sign-in">Sign in with a passkey</PasskeyButton>
        </form>
      ) : null}
      <p>
        <A to={hasEmail ? `/forgotten?email=${encodeURIComponent(known)}` : '/forgotten'}>Forgotten your password?</A>
      </p>
    </>
  );
}

function NobodyYet(): Child {
  return (
    <>
      <Notice kind="info">
        Nobody has an account yet. The server prints an address when it starts. Open it to create the first admin.
      </Notice>
      <details>
        <summary>The address is lost, or older than an hour</summary>
        <div class="stack-tight">
          <LostSetupCode />
        </div>
      </details>
    </>
  );
}

interface CodeStepProps {
  readonly form: FormState;
  readonly proof: string;
  readonly title: string;
  readonly takes: FirstStep['takes'];
}

function CodeStep({ form, proof, title, takes }: CodeStepProps): Child {
  return (
    <>
      <h1>{title}</h1>
      {takes.passkey ? (
        <form class="stack-tight" method="post">
          <input type="hidden" name="proof" value={proof} />
          <PasskeyButton purpose="second-step" isPrimary otherwise="This browser has no passkeys. Enter a code.">
            Use a passkey
          </PasskeyButton>
        </form>
      ) : null}
      <Form state={form} submit="Sign in">
        <input type="hidden" name="proof" value={proof} />
        <TextField
          name="code"
          label="Code"
          hint={
            takes.authenticator
              ? 'Six digits from your authenticator, or one of your recovery codes.'
              : 'One of your recovery codes, if your passkey is not at hand.'
          }
          autocomplete="one-time-code"
          autocapitalize="off"
          spellcheck={false}
          autofocus={!takes.passkey}
          required
        />
      </Form>
      <p>
        <A to="/sign-in">Sign in as somebody else</A>
      </p>
      <p class="soft small">
        Second factor and recovery codes lost? <A to="/forgotten">Ask for help</A>.
      </p>
    </>
  );
}

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
