// The accounts of people who sign in at identity providers, against a model: each set of groups × provider × linking
// rule × e-mail address that is verified, not verified or silent × accounts that exist. `npm run fault` plays all of
// them (SSO_MATRIX=all); `npm test` plays a sample with each value of each axis.

import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { parseEmail, type Email } from '../../../../../proxy/auth/email.ts';
import { standardRules } from '../../../../../proxy/auth/people-rules.ts';
import { createSessions } from '../../../../../proxy/auth/sessions.ts';
import { userIdentityKey } from '../../../../../proxy/auth/user-identity.ts';
import { insertUser, readUsers } from '../../../../../proxy/auth/user-records.ts';
import { mintUserId, type UserRecord } from '../../../../../proxy/auth/user.ts';
import { createKeyRing } from '../../../../../proxy/keys/key-ring.ts';
import { createProviderAccounts } from '../../../../../proxy/sso/accounts/accounts.ts';
import { readIdentity } from '../../../../../proxy/sso/flow/finish.ts';
import { SignInRefused } from '../../../../../proxy/sso/model/refusal.ts';
import { createAuditedStore, type AuditedStore } from '../../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';
import { seedOf } from '../../../../util/seeds.ts';
import {
  accountKinds,
  claimsOf,
  expectedOf,
  providerOf,
  situations,
  type Accounts,
  type Situation,
} from '../../../../util/sso-model.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('sso-accounts');
afterAll(() => folder.remove());
const now = Date.now;
const keys = createKeyRing({ folder: folder.at('keys'), now, randomBytes });
const at = '2026-11-20T08:00:00.000Z';
const [email, subject] = [parseEmail('ada@example.org') as Email, 'subject-of-ada'];

function userOf(more: Partial<UserRecord>): UserRecord {
  return {
    id: mintUserId(randomBytes),
    email,
    name: null,
    role: 'viewer',
    status: 'active',
    password: 'scrypt$1$1$1$AAAA$AAAA',
    two_factor: null,
    invitation: null,
    created_at: at,
    created_by: 'cli:test',
    last_login_at: null,
    known_addresses: [],
    ...more,
  };
}

/** The accounts of this kind, and an admin beside them where there may be one. */
function accountsOf(situation: Situation): { readonly own?: UserRecord; readonly mail?: UserRecord } {
  const kind: Accounts = accountKinds[situation.accounts];
  const { own, mail, mailBelongsTo, isMadeByProvider, isLastAdmin, hasTwoFactor } = kind;
  const { issuer } = providerOf(situation);
  const link = (more: object) => ({ identities: [{ issuer, subject, linked_at: at, last_login_at: null, ...more }] });
  const role = isLastAdmin === true || kind.isNamedAdmin === true ? 'admin' : 'viewer';
  const two_factor = { secret: 'v1.x', enabled_at: at, last_step: 0, recovery_codes: ['a'.repeat(64)] };
  const invitation = { hash: 'b'.repeat(64), expires_at: at };
  return {
    ...(own && {
      own: userOf({ role, status: own, password: null, email: parseEmail('before@example.org') as Email, ...link({}) }),
    }),
    ...(mail && {
      mail: userOf({
        role,
        status: mail,
        ...(hasTwoFactor === true && { two_factor }),
        ...(isMadeByProvider === true && { password: null, created_by: 'system:sso' }),
        ...(mail === 'invited' && { password: null, invitation }),
        ...(mailBelongsTo === 'same issuer' && link({ subject: 'another' })),
        ...(mailBelongsTo === 'other issuer' && link({ issuer: 'https://other.example' })),
      }),
    }),
  };
}

async function insert(store: AuditedStore, record: UserRecord): Promise<void> {
  const event = { actor: 'cli:test', action: 'user.create', subject: record.id, details: {} } as const;
  const puts = (record.identities ?? []).map((one) => ({ key: userIdentityKey(one), value: record.id }));
  await insertUser(store, record, { event, puts });
}

interface Played {
  readonly outcome: object;
  readonly before: readonly UserRecord[];
  readonly after: readonly UserRecord[];
}

async function play(situation: Situation): Promise<Played> {
  const state = createMemoryStore();
  const store = createAuditedStore({ store: state, now });
  const { own, mail } = accountsOf(situation);
  const isLastAdmin = 'isLastAdmin' in accountKinds[situation.accounts];
  const others = isLastAdmin ? [] : [userOf({ role: 'admin', email: parseEmail('root@example.org') as Email })];
  for (const record of [...others, own, mail]) if (record !== undefined) await insert(store, record);
  const before = await readUsers(store);
  const sessions = createSessions({ store, keys, now, randomBytes, rules: () => standardRules });
  const only = 'isNamedAdmin' in accountKinds[situation.accounts] ? [own?.email ?? email] : undefined;
  const localSignIn = only && { only, providers: ['Plain'] };
  const accounts = createProviderAccounts({ store, sessions, now, randomBytes, localSignIn });
  const provider = providerOf(situation);
  try {
    const claims = claimsOf(situation, subject, email) as JsonObject;
    const { user } = await accounts.signIn(provider, await readIdentity(provider, claims, undefined), '127.0.0.1');
    const enters = user.id === own?.id ? 'own' : user.id === mail?.id ? 'mail' : 'new account';
    return { outcome: { enters, role: user.role }, before, after: await readUsers(store) };
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    return { outcome: { refused: error.reason }, before, after: await readUsers(store) };
  }
}

/** What no sign-in changes: the e-mail address, the password and the second factor of an account. */
const keptOf = (users: readonly UserRecord[]) =>
  users.map(({ id, email: address, password, two_factor }) => ({ id, address, password, two_factor }));

/** Every n-th, where n divides no axis, from a place that the seed gives. */
function sample(): readonly Situation[] {
  if (process.env['SSO_MATRIX'] === 'all') return situations;
  const step = 11;
  return situations.filter((_, index) => index % step === seedOf('SERIES_SEED') % step);
}

describe('a sign-in at an identity provider', () => {
  it('lets in whom the model lets in, with its role, and refuses the others for its reason', async () => {
    const played = sample();
    for (const axis of ['groups', 'provider', 'linkByEmail', 'verified', 'accounts'] as const)
      expect(new Set(played.map((one) => one[axis]))).toEqual(new Set(situations.map((one) => one[axis])));
    for (const situation of played) {
      const { outcome, before, after } = await play(situation);
      const [expected, what] = [expectedOf(situation), JSON.stringify(situation)];
      expect(outcome, what).toEqual(expected);
      expect(keptOf(after).slice(0, before.length), what).toEqual(keptOf(before));
      expect(after.length - before.length, what).toBe(
        'enters' in expected && expected.enters === 'new account' ? 1 : 0,
      );
      // a refused person changes nothing, but for the link of the last admin
      if ('refused' in expected && expected.refused !== 'last admin') expect(after, what).toEqual(before);
      expect(
        after.filter(({ role, status }) => role === 'admin' && status === 'active'),
        what,
      ).not.toEqual([]);
    }
  });
});
