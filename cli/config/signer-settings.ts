// The settings that name the keys of the people who sign git tags.

import { parseDirectory, pathFault } from './setting-values.ts';
import type { Setting } from './setting.ts';
import { plainText } from './text-schemas.ts';

const file = (key: string, variable: string, purpose: string, allowed: string): Setting<string | undefined> => ({
  key,
  flag: undefined,
  variable,
  purpose,
  allowed,
  parse: parseDirectory,
  reason: pathFault,
  standard: () => undefined,
  schema: { type: 'string', pattern: plainText },
});

export const signerSettings = {
  signers: file(
    'signers',
    'LIBRETTO_SIGNERS',
    'the SSH keys that sign the git tags of releases',
    'an allowed-signers file of OpenSSH',
  ),
  signersKeyring: file(
    'signersKeyring',
    'LIBRETTO_SIGNERS_KEYRING',
    'the OpenPGP keys that sign the git tags of releases',
    'a file of public keys, as `gpg --export` writes it',
  ),
};
