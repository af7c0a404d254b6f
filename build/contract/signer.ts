// The name of a person or a machine whose key signs git tags: the principal in a file of allowed signers
// (`ssh-keygen`, ALLOWED SIGNERS), mostly a mail address.

import type { Branded } from './brand.ts';

export type Signer = Branded<string, 'Signer'>;

export const maxSignerLength = 200;

/** undefined: empty, too long, with a character that does not print, or with a space at an end. */
export function parseSigner(text: string): Signer | undefined {
  return text.length <= maxSignerLength && /^[^\p{C}\s](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\s])?$/u.test(text)
    ? (text as Signer)
    : undefined;
}
