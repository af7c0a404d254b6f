// The two steps of signing in: email and password, then the code of accounts with two-factor authentication.

import type { Child } from 'hono/jsx';
import { Form, TextField } from '../../components/form.tsx';
import type { FirstStep } from '../../../auth/two-step-login.ts';
import { PasskeyButton } from '../../components/passkey-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import type { PageView } from '../../frame/definitions.ts';
import { LostSetupCode } from './lost-setup-code.tsx';
import { ProviderButtons, type OfferedProvider } from './provider-buttons.tsx';
import type { FormState } from '../../request/form-fields.ts';

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

export function passwordStep(props: PasswordStepProps): PageView {
  return { title: 'Sign in', bare: true, content: <PasswordStep {...props} /> };
}

/** `proof`: that the password was right. `takes`: the second factors of the account. */
export function codeStep(form: FormState, proof: string, takes: FirstStep['takes']): PageView {
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
