// The families of rows about passkeys.

import { passkeyKey } from '../../proxy/auth/passkey.ts';
import { parseUserPointer, parseUserRecord, userKey } from '../../proxy/auth/user.ts';
import { parseUsedChallenge } from '../../proxy/passkeys/used-challenges.ts';
import { fits, parsed, type StateFamily } from './state-family.ts';

export const passkeyFamilies: readonly (readonly [string, StateFamily])[] = [
  [
    'passkey',
    {
      ...parsed(parseUserPointer),
      companions: (value, key) => [
        fits(userKey(parseUserPointer(value)), parseUserRecord, ({ passkeys = [] }) =>
          passkeys.some(({ credential_id }) => passkeyKey(credential_id) === key),
        ),
      ],
    },
  ],
  ['passkey-used', parsed(parseUsedChallenge)],
];
