// Adding a passkey, in two steps at one address: the person proves who they are, unless they did a short time ago, and
// then the browser makes the passkey.

import type { Child } from 'hono/jsx';
import type { Passkeys } from '../../../passkeys/passkeys.ts';
import { passkeySite } from '../../../passkeys/site.ts';
import { longestPasskeyName } from '../../../passkeys/name.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PasskeyButton } from '../../components/passkey-button.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { passkeyAnswer } from '../../request/passkey-fields.ts';
import { accountTrail } from './question.tsx';
import { recoveryCodesView } from './two-factor.tsx';

export function registerAddPasskey(pages: Pages, passkeys: Passkeys): void {
  pages.form({
    path: '/account/passkeys/new',
    operation: 'renamePasskey',
    show: ({ asksPassword }, form) =>
      stepView(
        asksPassword ? (
          <Form state={form} submit="Go on" cancel="/account" asksPassword />
        ) : (
          <PasskeyStep form={form} />
        ),
      ),
    submit: (request, fields) => add(passkeys, request, fields),
  });
}

async function add(
  passkeys: Passkeys,
  { caller, consoleOrigin }: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  const answer = passkeyAnswer(fields, 'add');
  if (answer === undefined) return stepView(<PasskeyStep form={emptyForm} />);
  const { recoveryCodes } = await passkeys.add(caller, {
    answer,
    name: fields.text('name'),
    site: passkeySite(consoleOrigin),
  });
  if (recoveryCodes === undefined) return { to: '/account', notice: 'passkey-added' };
  const done = 'Your passkey is added. After your password, a sign-in now asks for it too.';
  return recoveryCodesView(done, recoveryCodes);
}

function stepView(step: Child): PageView {
  const sentence = 'It stays on this device, in your password manager, or on a security key.';
  return headedPage({ title: 'Add a passkey', sentence, trail: accountTrail }, step);
}

function PasskeyStep({ form }: { readonly form: FormState }): Child {
  return (
    <Form state={form} submit="" hasNoButton cancel="/account">
      <TextField
        name="name"
        label="Name"
        hint="So that you know it again, such as the name of the device."
        maxlength={longestPasskeyName}
        autocomplete="off"
        autofocus
        required
      />
      <p>Your sessions in other browsers end. Terminals stay signed in: your account page ends them.</p>
      <PasskeyButton
        purpose="add"
        isPrimary
        otherwise="Passkeys need JavaScript, an address with https, and a browser from 2025 or later."
      >
        Add the passkey
      </PasskeyButton>
    </Form>
  );
}
