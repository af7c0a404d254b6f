// The families of rows about terminals that sign in, and about identity providers.

import { userIdentityKey } from '../../proxy/auth/user-identity.ts';
import { parseUserPointer, parseUserRecord, userKey } from '../../proxy/auth/user.ts';
import { parseCodePointer, parseSignInRequest, requestKey, userCodeKey } from '../../proxy/device/sign-in-request.ts';
import { parseUsedState } from '../../proxy/sso/flow/used-states.ts';
import { fits, parsed, type StateFamily } from './state-family.ts';

export const signInFamilies: readonly (readonly [string, StateFamily])[] = [
  [
    'device-code',
    {
      ...parsed(parseCodePointer),
      companions: (value, key) => [
        fits(
          requestKey(parseCodePointer(value)),
          parseSignInRequest,
          ({ user_code }) => userCodeKey(user_code) === key,
        ),
      ],
    },
  ],
  [
    'device-request',
    {
      ...parsed(parseSignInRequest),
      companions: (value, key) => [
        fits(userCodeKey(parseSignInRequest(value).user_code), parseCodePointer, (code) => requestKey(code) === key),
      ],
    },
  ],
  ['sso-state', parsed(parseUsedState)],
  [
    'user-identity',
    {
      ...parsed(parseUserPointer),
      companions: (value, key) => [
        fits(userKey(parseUserPointer(value)), parseUserRecord, ({ identities = [] }) =>
          identities.some((identity) => userIdentityKey(identity) === key),
        ),
      ],
    },
  ],
];
