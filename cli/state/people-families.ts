// The families of rows about people: terminals that sign in, identity providers, passkeys, and teams.

import { userIdentityKey } from '../../proxy/auth/user-identity.ts';
import { parseUserPointer, parseUserRecord, userKey } from '../../proxy/auth/user.ts';
import { parseCodePointer, parseSignInRequest, requestKey, userCodeKey } from '../../proxy/device/sign-in-request.ts';
import { usedAtProviders } from '../../proxy/sso/flow/transaction.ts';
import { parseUsed } from '../../proxy/state/used-once.ts';
import { fits, parsed, type StateFamily } from './state-family.ts';
import { passkeyKey } from '../../proxy/auth/passkey.ts';
import { usedChallenges } from '../../proxy/passkeys/challenges.ts';
import { parseTeamRecord, teamKey } from '../../proxy/teams/team.ts';
import { parseTeamRoster } from '../../proxy/teams/team-roster.ts';

export const peopleFamilies: readonly (readonly [string, StateFamily])[] = [
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
  ['sso-state', parsed((value) => parseUsed(usedAtProviders, value))],
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
  ['passkey-used', parsed((value) => parseUsed(usedChallenges, value))],
  ['team-roster', parsed(parseTeamRoster)],
  [
    'team',
    {
      isRow: (value, key) => teamKey(parseTeamRecord(value).id) === key,
      companions: (value) =>
        parseTeamRecord(value).members.map((id) => fits(userKey(id), parseUserRecord, (user) => user.id === id)),
    },
  ],
];
