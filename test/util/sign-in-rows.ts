// One valid row of every kind about passkeys, identity providers, terminals that sign in, and teams.

import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import { passkeyKey } from '../../proxy/auth/passkey.ts';
import { userIdentityKey } from '../../proxy/auth/user-identity.ts';

const credential = 'credential';
const identity = { issuer: 'https://login.example.org', subject: '1' };
const [deviceCode, userCode] = ['d'.repeat(64), 'c'.repeat(64)];
const team = 'tea_0000000000000000';

/** What the record of the user `userWays` has more than others. */
export function userWays(at: string): JsonObject {
  return {
    passkeys: [
      {
        id: 'pk_0000000000000000',
        credential_id: credential,
        public_key: 'key',
        counter: 0,
        transports: ['internal'],
        rp_id: 'packages.example.org',
        name: 'Laptop',
        created_at: at,
        last_used_at: null,
        backed_up: false,
      },
    ],
    identities: [{ ...identity, linked_at: at, last_login_at: at }],
  };
}

/** `user`: has the `userWays`. */
export function signInRows(at: string, user: string): Readonly<Record<string, JsonValue>> {
  return {
    [`device-code/${userCode}`]: deviceCode,
    [`device-request/${deviceCode}`]: {
      client_id: 'libretto-cli',
      user_code: userCode,
      machine: 'laptop',
      days: 30,
      address: '::1',
      created_at: at,
      expires_at: at,
      interval: 5,
      asked_ms: null,
      decision: null,
    },
    [passkeyKey(credential)]: user,
    'passkey-used/x': at,
    'sso-state/x': at,
    [`team/${team}`]: {
      id: team,
      name: 'Tools',
      packages: ['acme/tool'],
      members: [user],
      created_at: at,
      created_by: 'cli:a',
      updated_at: at,
    },
    'team-roster': { teams: 1 },
    [userIdentityKey(identity)]: user,
  };
}

/** What is wrong, the key, the wrong value, and the refusal. `other`, `nobody`: ids of another user, and of none. */
export function brokenSignInRows(
  at: string,
  other: string,
  nobody: string,
): readonly (readonly [string, string, JsonValue | undefined, RegExp])[] {
  const unknownCode = 'e'.repeat(64);
  const ofNobody = { ...(signInRows(at, nobody)[`team/${team}`] as JsonObject) };
  return [
    ['a user whose passkey leads nowhere', passkeyKey(credential), undefined, /"user" and .* "passkey"/],
    ['a passkey that leads to another user', passkeyKey(credential), other, /"passkey" and .* "user"/],
    ['a user whose identity leads nowhere', userIdentityKey(identity), undefined, /"user" and .* "user-identity"/],
    ['a team with a member who is no user', `team/${team}`, ofNobody, /"team" and .* "user"/],
    ['a code that leads to no terminal', `device-code/${unknownCode}`, unknownCode, /"device-code" and .* "device-req/],
  ];
}
