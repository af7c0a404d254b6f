// Which sessions a logout token ends: those of its issuer, its person and its session, and no others.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { userIdentityKey } from '../../../../../proxy/auth/user-identity.ts';
import { mintUserId } from '../../../../../proxy/core/tokens/person.ts';
import { endSessions, type EndSessionsParts } from '../../../../../proxy/sso/logout/end-sessions.ts';
import type { LogoutToken } from '../../../../../proxy/sso/logout/logout-token.ts';
import { createAuditedStore } from '../../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';

const now = Date.now;
const providers = [
  { id: 'acme', issuer: 'https://login.example' },
  { id: 'acme-staff', issuer: 'https://login.example' },
  { id: 'other', issuer: 'https://other.example' },
] as const;
const at = new Date().toISOString();
const everyone = [mintUserId(randomBytes), mintUserId(randomBytes)] as const;

/** The sessions: name → user, provider, subject and session there. */
const sessions: Readonly<Record<string, readonly [0 | 1, string?, string?, string?]>> = {
  local: [0],
  one: [0, 'acme', 'ada', 'sid-1'],
  two: [0, 'acme', 'ada', 'sid-2'],
  nameless: [0, 'acme', 'ada'],
  staff: [0, 'acme-staff', 'ada', 'sid-1'],
  elsewhere: [0, 'other', 'ada', 'sid-1'],
  removed: [0, 'no more configured', 'ada', 'sid-1'],
  eve: [1, 'acme', 'eve', 'sid-3'],
  eveElsewhere: [1, 'other', 'eve', 'sid-2'],
};

async function partsOf(): Promise<EndSessionsParts> {
  const state = createMemoryStore();
  const rows = Object.entries(sessions).map(([id, [user, provider, subject, sid]]) => ({
    key: `session/${everyone[user]}/${id}`,
    value: {
      id,
      created_at: at,
      expires_at: at,
      address: '127.0.0.1',
      ...(provider && { provider }),
      ...(subject && { provider_subject: subject }),
      ...(sid && { provider_session: sid }),
    },
  }));
  const people = everyone.map((id, index) => ({
    key: `user/${id}`,
    value: {
      id,
      email: `p${index}@example.org`,
      name: null,
      role: 'viewer',
      status: 'active',
      password: null,
      two_factor: null,
      invitation: null,
      created_at: at,
      created_by: 'cli:test',
      last_login_at: null,
      known_addresses: [],
    },
  }));
  const identities = (['ada', 'eve'] as const).flatMap((subject, index) =>
    ['https://login.example', 'https://other.example'].map((issuer) => ({
      key: userIdentityKey({ issuer, subject }),
      value: everyone[index] ?? '',
    })),
  );
  await state.commit({ conditions: [], puts: [...rows, ...people, ...identities], deletes: [] });
  return { providers, state, store: createAuditedStore({ store: state, now }), now };
}

async function ended(token: Partial<LogoutToken>): Promise<readonly string[]> {
  const parts = await partsOf();
  const whole = { subject: undefined, session: undefined, id: 'one', expiresMs: now() + 60_000, ...token };
  const count = await endSessions(parts, providers[0], whole);
  const left = new Set((await parts.state.range('session/')).map(({ key }) => key.split('/')[2]));
  const gone = Object.keys(sessions).filter((id) => !left.has(id));
  expect(gone).toHaveLength(count);
  return gone;
}

describe('a logout token', () => {
  it.each<readonly [string, Partial<LogoutToken>, readonly string[]]>([
    [
      'with a person ends all of their sessions at this issuer',
      { subject: 'ada' },
      ['one', 'two', 'nameless', 'staff'],
    ],
    [
      'with a person and a session leaves the other sessions, but for those whose own is unknown',
      { subject: 'ada', session: 'sid-2' },
      ['two', 'nameless'],
    ],
    ['with a session ends it, whoever it belongs to', { session: 'sid-3' }, ['eve']],
    ['with a session of two clients of the issuer ends both', { session: 'sid-1' }, ['one', 'staff']],
    ['with the session of another person ends nothing', { subject: 'ada', session: 'sid-3' }, ['nameless']],
    ['with an unknown person ends nothing', { subject: 'mallory', session: 'sid-1' }, []],
  ])('%s', async (_, token, expected) => {
    expect(await ended(token)).toEqual(expected);
  });

  it('counts once, also of two that come at the same time', async () => {
    const parts = await partsOf();
    const token = { subject: 'ada', session: undefined, id: 'one', expiresMs: now() + 60_000 };
    const results = await Promise.allSettled([1, 2].map(() => endSessions(parts, providers[0], token)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await parts.state.range('audit/event/')).length).toBe(1);
    expect(await endSessions(parts, providers[2], token), 'the same id of another issuer').toBe(1);
  });
});
