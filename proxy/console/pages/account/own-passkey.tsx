// Renaming and removing a passkey. The removal asks for another factor: the password and a code, or another passkey. A
// person without a password confirms it as other dangerous posts.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { Passkey } from '../../../auth/passkey.ts';
import type { Passkeys } from '../../../passkeys/passkeys.ts';
import { isPasskeySite, passkeySite } from '../../../passkeys/site.ts';
import { longestPasskeyName } from '../../../passkeys/name.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PasskeyButton } from '../../components/passkey-button.tsx';
import type { Redirect, SignedInRequest, PageOutcome, PageView } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { type FormFields, emptyForm, type FormState } from '../../request/form-fields.ts';
import { passkeyAnswer } from '../../request/passkey-fields.ts';
import { accountTrail, question, ProofFields } from './question.tsx';
import { refusedProof } from './refused-proof.ts';
import type { Child } from 'hono/jsx';
import { recoveryCodesView } from './two-factor.tsx';

export function registerOwnPasskey(pages: Pages, passkeys: Passkeys): void {
  registerRename(pages, passkeys);
  registerRemove(pages, passkeys);
  registerRemoveLast(pages, passkeys);
}

function registerRename(pages: Pages, passkeys: Passkeys): void {
  pages.form({
    path: '/account/passkeys/:id/name',
    operation: 'renamePasskey',
    asksNothing: true,
    show: async (request, form) => {
      const { name } = (await find(passkeys, request)).passkey;
      return headedPage(
        { title: 'Rename the passkey', sentence: 'The name is for you alone.', trail: accountTrail },
        <Form state={form} submit="Save the name" cancel="/account">
          <TextField name="name" label="Name" value={name} maxlength={longestPasskeyName} required />
        </Form>,
      );
    },
    submit: async ({ caller, param }, fields) => {
      await passkeys.rename(caller.userId, param('id'), fields.text('name'));
      return { to: '/account', notice: 'passkey-renamed' };
    },
  });
}

function registerRemove(pages: Pages, passkeys: Passkeys): void {
  pages.form({
    path: '/account/passkeys/:id/remove',
    operation: 'removePasskey',
    asksNothing: true,
    show: async (request, form) => {
      const { passkey, hasOthers } = await find(passkeys, request);
      const { password } = request.caller.provesWith;
      if (!password && !hasOthers) return { to: `/account/passkeys/${passkey.id}/remove-last` };
      return {
        title: 'Remove this passkey?',
        content: (
          <>
            <h1>Remove the passkey {passkey.name}?</h1>
            <p>It no longer signs you in. Your sessions in other browsers end.</p>
            {hasOthers ? (
              <form class="form" method="post">
                <PasskeyButton purpose="remove" about={passkey.id}>
                  Remove it with another passkey
                </PasskeyButton>
              </form>
            ) : null}
            {password ? <PasswordForm form={form} /> : null}
          </>
        ),
      };
    },
    submit: (request, fields) => remove(passkeys, request, fields),
  });
}

function PasswordForm({ form }: { readonly form: Parameters<typeof Form>[0]['state'] }) {
  return (
    <Form state={form} submit="Remove the passkey" isDanger cancel="/account">
      <ProofFields autofocus={false} />
    </Form>
  );
}

async function remove(
  passkeys: Passkeys,
  { caller, param, clientAddress: address, consoleOrigin }: SignedInRequest,
  fields: FormFields,
): Promise<Redirect> {
  const answer = passkeyAnswer(fields, 'remove');
  if (answer !== undefined)
    await passkeys.remove(caller, param('id'), { answer, site: passkeySite(consoleOrigin), address });
  else
    await passkeys
      .remove(caller, param('id'), { password: fields.secret('password'), code: fields.text('code'), address })
      .catch(refusedProof('code', 'The password or the code is wrong, or the code was used. Enter both again.'));
  return removed;
}

const removed: Redirect = { to: '/account', notice: 'passkey-removed' };

function registerRemoveLast(pages: Pages, passkeys: Passkeys): void {
  pages.form({
    path: '/account/passkeys/:id/remove-last',
    operation: 'removePasskey',
    show: async (request, state) => {
      const { passkey } = await find(passkeys, request);
      if (request.caller.provesWith.password) return { to: `/account/passkeys/${passkey.id}/remove` };
      const form = { state, submit: 'Remove the passkey', asksPassword: request.asksPassword };
      const sentence = 'It is your last one. Your sessions in other browsers end.';
      return question(`Remove the passkey ${passkey.name}?`, sentence, form);
    },
    submit: async ({ caller, param, clientAddress: address }) => {
      await passkeys.remove(caller, param('id'), { isFresh: true, address });
      return removed;
    },
  });
}

/** `hasOthers`: the person has others that work at this address. Throws NOT_FOUND. */
async function find(
  passkeys: Passkeys,
  { caller, param, consoleOrigin }: SignedInRequest,
): Promise<{ readonly passkey: Passkey; readonly hasOthers: boolean }> {
  const all = await passkeys.list(caller.userId);
  const passkey = all.find(({ id }) => id === param('id'));
  if (passkey === undefined) throw new RegistryError('NOT_FOUND', { message: 'You have no such passkey any more.' });
  const { rpId } = isPasskeySite(consoleOrigin) ? passkeySite(consoleOrigin) : { rpId: '' };
  return { passkey, hasOthers: all.some(({ id, rp_id }) => id !== passkey.id && rp_id === rpId) };
}

// Adding a passkey, in two steps at one address: the person proves who they are, unless they did a short time ago, and
// then the browser makes the passkey.

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
