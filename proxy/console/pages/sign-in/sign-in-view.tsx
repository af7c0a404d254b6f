// The two steps of signing in: email and password, then the code of accounts with two-factor authentication.

import type { Child } from 'hono/jsx';
import { Form, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import type { PageView } from '../../frame/definitions.ts';
import { LostSetupCode } from './lost-setup-code.tsx';
import type { FormState } from '../../request/form-fields.ts';

interface PasswordStepProps {
  readonly form: FormState;
  /** before anything was typed */
  readonly email: string;
  /** false: there is no user yet */
  readonly isSetUp: boolean;
  /** the code did not arrive in time */
  readonly isLate?: boolean;
}

export function passwordStep(props: PasswordStepProps): PageView {
  return { title: 'Sign in', bare: true, content: <PasswordStep {...props} /> };
}

/** `proof`: that the password was right. */
export function codeStep(form: FormState, proof: string): PageView {
  return { title: 'Enter the code', bare: true, content: <CodeStep form={form} proof={proof} /> };
}

function PasswordStep({ form, email, isSetUp, isLate = false }: PasswordStepProps): Child {
  const known = form.isPosted ? form.fields.text('email') : email;
  const hasEmail = known !== '';
  return (
    <>
      <h1>Sign in</h1>
      {isSetUp ? null : <NobodyYet />}
      {isLate ? <Notice kind="warn">More than five minutes have passed. Enter your password again.</Notice> : null}
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

function CodeStep({ form, proof }: { readonly form: FormState; readonly proof: string }): Child {
  return (
    <>
      <h1>Enter the code</h1>
      <Form state={form} submit="Sign in">
        <input type="hidden" name="proof" value={proof} />
        <TextField
          name="code"
          label="Code"
          hint="Six digits from your authenticator, or one of your recovery codes."
          autocomplete="one-time-code"
          autocapitalize="off"
          spellcheck={false}
          autofocus
          required
        />
      </Form>
      <p>
        <A to="/sign-in">Sign in as somebody else</A>
      </p>
      <p class="soft small">
        Authenticator and recovery codes lost? <A to="/forgotten">Ask for help</A>.
      </p>
    </>
  );
}
