// Turning on two-factor authentication, in two posts to one address: the password gives the secret for an
// authenticator, and a code of the authenticator turns it on. The secret is shown once.

import type { Child } from 'hono/jsx';
import type { Secret } from '../../../../build/shared/text/secret.ts';
import type { People } from '../../../auth/people.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Form, TextField, ButtonLink } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { accountTrail } from './question.tsx';
import { refusedProof } from './refused-proof.ts';
import { encode } from 'uqr';
import { Notice } from '../../components/notice.tsx';
import type { UserDocument } from '../../../people/user-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { formatCount } from '../../components/values.tsx';

/** `done`: what was just done; a sentence. */
export function recoveryCodesView(done: string, codes: readonly Secret[]): PageView {
  return headedPage(
    { title: 'Your recovery codes', sentence: 'Each code replaces one code of your authenticator.' },
    <>
      <Notice kind="good">{done}</Notice>
      <div class="form">
        <p>Store these codes now, for example in a password manager. They are shown only once.</p>
        <CodeBlock text={codes.map((code) => code.reveal()).join('\n')} label="your recovery codes" />
        <div class="row">
          <ButtonLink to="/account" kind="primary" label="I have stored them" />
        </div>
      </div>
    </>,
  );
}

const title = 'Turn on two-factor authentication';

export function registerTwoFactorPage(pages: Pages, people: People): void {
  pages.form({
    path: '/account/two-factor',
    operation: 'enableTwoFactor',
    show: (_request, form) => (form.fields.checked('code') ? codeStep(form) : passwordStep(form)),
    submit: (request, fields) =>
      fields.checked('code') ? turnOn(people, request, fields) : setUp(people, request, fields),
  });
}

async function setUp(
  people: People,
  { caller, clientAddress }: SignedInRequest,
  fields: FormFields,
): Promise<PageView> {
  const shown = await people
    .account(caller.userId, clientAddress)
    .setUpTwoFactor(fields.secret('password'))
    .catch(refusedProof('password', 'This is not your password.'));
  return codeStep(emptyForm, shown);
}

async function turnOn(
  people: People,
  { caller, clientAddress }: SignedInRequest,
  fields: FormFields,
): Promise<PageView> {
  const { recoveryCodes, token } = await people
    .account(caller.userId, clientAddress)
    .enableTwoFactor(fields.text('code'))
    .catch(refusedProof('code', 'The code is wrong or used. Enter the code that your authenticator shows now.'));
  const done =
    'Two-factor authentication is on. Your sessions in other browsers have ended. Terminals stay signed in: your account page ends them.';
  return { ...recoveryCodesView(done, recoveryCodes), session: { token } };
}

function passwordStep(form: FormState): PageView {
  return headedPage(
    {
      title,
      sentence: 'You need an authenticator: an app that shows a new code every 30 seconds.',
      trail: accountTrail,
    },
    <Form state={form} submit="Show the QR code" cancel="/account">
      <TextField
        name="password"
        label="Your password"
        type="password"
        autocomplete="current-password"
        autofocus
        required
      />
    </Form>,
  );
}

/** `shown`: undefined if it was shown before a code was refused. */
function codeStep(form: FormState, shown?: { readonly secret: Secret; readonly uri: Secret }): PageView {
  return headedPage(
    { title, sentence: 'Your sessions in other browsers end. This browser stays signed in.', trail: accountTrail },
    <>
      {shown === undefined ? (
        <p>
          The QR code was shown once. <A to="/account/two-factor">Show another one</A>, if you did not scan it.
        </p>
      ) : (
        <div class="form">
          <p>Scan this code with your authenticator:</p>
          <QrCode text={shown.uri} label="QR code for your authenticator" />
          <p>Or enter this secret in it:</p>
          <CodeBlock text={shown.secret.reveal()} label="the secret for your authenticator" />
        </div>
      )}
      <Form state={form} submit="Turn it on" cancel="/account">
        <TextField
          name="code"
          label="Code"
          hint="The six digits that your authenticator shows now."
          inputmode="numeric"
          autocomplete="one-time-code"
          autofocus
          required
        />
      </Form>
    </>,
  );
}

// A QR code as SVG, black on white in light and dark.

/** `label`: what it is, for those who listen. */
function QrCode({ text, label }: { readonly text: Secret; readonly label: string }): Child {
  const { size, data } = encode(text.reveal());
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}

// The second factor on the account page: an authenticator app, passkeys, or none.

export function TwoFactorPanel({ user }: { readonly user: UserDocument }): Child {
  return (
    <section class="panel stack">
      <div class="stack-tight">
        <h2>Two-factor authentication</h2>
        <p>{user.two_factor_enabled ? <Badge kind="good" icon="shield-check" label="on" /> : <Badge label="off" />}</p>
      </div>
      {user.two_factor_enabled ? <On user={user} /> : <Off />}
    </section>
  );
}

function On({ user }: { readonly user: UserDocument }): Child {
  const { authenticator_enabled: hasAuthenticator, recovery_codes_left: left, passkeys } = user;
  const asked = [hasAuthenticator ? 'a code' : '', passkeys > 0 ? 'a passkey' : ''].filter((text) => text !== '');
  return (
    <>
      <p>
        After the password, each sign-in asks for {asked.join(' or ')}. {formatCount(left, 'recovery code')} left.
      </p>
      <div class="row">
        <ButtonLink to="/account/recovery-codes" label="Renew recovery codes" />
        {hasAuthenticator ? (
          <ButtonLink to="/account/two-factor/off" kind="danger" label="Turn off" />
        ) : (
          <ButtonLink to="/account/two-factor" label="Add an authenticator" />
        )}
      </div>
    </>
  );
}

function Off(): Child {
  return (
    <>
      <p>With it, somebody who learns your password still cannot sign in.</p>
      <p>
        <ButtonLink to="/account/two-factor" icon="shield-check" label="Turn on" />
      </p>
    </>
  );
}
