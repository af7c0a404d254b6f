// The fields in which the script of the pages posts the answer of a passkey, by what the passkey was asked for.

import type { FormFields } from './form-fields.ts';

export type PasskeyPurpose = 'add' | 'sign-in' | 'second-step' | 'confirm' | 'remove';

/** undefined: no passkey was used. */
export function passkeyAnswer(
  fields: FormFields,
  purpose: PasskeyPurpose,
): { readonly token: string; readonly credential: string } | undefined {
  const credential = fields.secret(`${purpose}-passkey`);
  return credential === '' ? undefined : { token: fields.secret(`${purpose}-token`), credential };
}
