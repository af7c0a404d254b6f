// The questions for the authenticator, which the script of the pages fetches when a button for passkeys is pressed: as
// JSON, for one answer within five minutes. A question changes nothing.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PasskeyPrompt } from '../../../passkeys/options.ts';
import type { Passkeys } from '../../../passkeys/passkeys.ts';
import { passkeySite } from '../../../passkeys/site.ts';
import type { SessionCaller } from '../../../auth/caller.ts';
import { Form } from '../../components/form.tsx';
import type { PageRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormFields } from '../../request/form-fields.ts';

export function registerPasskeyQuestions(pages: Pages, passkeys: Passkeys): void {
  pages.openForm({
    path: '/passkey',
    operation: 'login',
    // only a script reads the reason of a refusal here
    show: ({ caller }, form) =>
      form.isPosted
        ? { title: 'Passkey', bare: true, content: <Form state={form} submit="Try again" /> }
        : { to: caller === undefined ? '/sign-in' : '/account' },
    submit: async (request, fields) => {
      const asked = await ask(passkeys, request, fields);
      const bytes = Buffer.from(JSON.stringify(asked));
      return { file: { name: 'passkey.json', type: 'application/json', bytes } };
    },
  });
}

async function ask(
  passkeys: Passkeys,
  { caller, consoleOrigin }: PageRequest,
  fields: FormFields,
): Promise<PasskeyPrompt> {
  const site = passkeySite(consoleOrigin);
  switch (fields.text('purpose')) {
    case 'sign-in':
      return passkeys.createSignInChallenge(site);
    case 'second-step':
      return (await passkeys.createSecondFactorChallenge(fields.secret('proof'), site)) ?? Promise.reject(endedProof());
    case 'confirm':
      return passkeys.askConfirmation(person(caller), site);
    case 'add':
      return passkeys.createRegistrationChallenge(person(caller), site);
    case 'remove':
      return passkeys.createRemovalChallenge(person(caller), fields.text('about'), site);
    default:
      throw fieldFault('purpose', 'must be sign-in, second-step, confirm, add or remove');
  }
}

function person(caller: SessionCaller | undefined): SessionCaller {
  if (caller !== undefined) return caller;
  throw new RegistryError('AUTHENTICATION_REQUIRED', { message: 'Your session has ended. Sign in again.' });
}

function endedProof(): RegistryError {
  return new RegistryError('INVALID_CREDENTIALS', {
    message: 'More than five minutes have passed since you entered your password. Sign in again.',
  });
}
