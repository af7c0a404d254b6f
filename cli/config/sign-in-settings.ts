// The setting of who signs in with a password of this registry: everybody, or a few named admins.

import { parseEmail, type Email } from '../../proxy/auth/email.ts';
import type { Setting } from './setting.ts';

/** `only`: the addresses of admins with a second factor */
export type LocalSignInValue = 'everybody' | { readonly only: readonly Email[] };

const emailPattern = String.raw`^[^\s@,]{1,64}@[^\s@.,]+(\.[^\s@.,]+)*$`;

const localSignIn: Setting<LocalSignInValue> = {
  key: 'localSignIn',
  flag: '--local-sign-in <who>',
  variable: 'LIBRETTO_LOCAL_SIGN_IN',
  purpose: 'who signs in with a password of this registry: everybody, or these admins alone',
  allowed:
    'everybody, or the e-mail addresses of admins with a second factor, separated by commas ' +
    '(in libretto.json: {"only": ["ada@example.org"]})',
  parse: parseLocalSignIn,
  standard: () => 'everybody',
  schema: {
    anyOf: [
      { const: 'everybody' },
      {
        type: 'object',
        required: ['only'],
        properties: {
          only: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', pattern: emailPattern } },
        },
        additionalProperties: false,
      },
    ],
  },
};

export const signInSettings = { localSignIn };

/** `everybody`, text with commas, or an object with the list `only`; each address once. */
function parseLocalSignIn(raw: unknown): LocalSignInValue | undefined {
  if (raw === 'everybody') return raw;
  const listed = typeof raw === 'string' ? raw.split(',') : onlyOf(raw);
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const emails = listed.map((one: unknown) =>
    typeof one === 'string' && new RegExp(emailPattern, 'u').test(one.trim()) ? parseEmail(one) : undefined,
  );
  const known = emails.filter((email) => email !== undefined);
  return known.length === emails.length && new Set(known).size === known.length ? { only: known } : undefined;
}

function onlyOf(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Object.keys(raw).join() !== 'only') return undefined;
  return (raw as { readonly only: unknown }).only;
}
