// Tests what the authenticator remembers of the person of a token: it reads nothing more while the state stays the
// same, and follows every change of the person and of their packages with the next request.

import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { PackageName } from '../../../../build/contract/name.ts';
import {
  createAuthenticator,
  type ActiveToken,
  type Authenticator,
} from '../../../../proxy/core/tokens/authenticate.ts';
import { personStatus, type PersonPackages } from '../../../../proxy/auth/person-status.ts';
import { createTokens } from '../../../../proxy/auth/tokens.ts';
import { userKey, type UserRecord } from '../../../../proxy/auth/user.ts';
import { type UserId, mintUserId } from '../../../../proxy/core/tokens/person.ts';
import { createAuditedStore } from '../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const id = mintUserId(randomBytes);

let store: StateStore;
let asked: string[];
let authenticator: Authenticator;
let header: string;

/** A stand-in for teams: the patterns of a row of the state. */
const fromState: PersonPackages = async ({ id: userId }) => {
  asked.push(userId);
  return ((await store.get('test-packages'))?.value ?? null) as readonly string[] | null;
};

async function put(key: string, value: unknown): Promise<void> {
  await store.commit({ conditions: [], puts: [{ key, value: value as never }], deletes: [] });
}

const person = (part: Partial<UserRecord> = {}): Promise<void> =>
  put(userKey(id), {
    id,
    email: 'ada@example.org',
    name: null,
    role: 'viewer',
    status: 'active',
    password: null,
    two_factor: null,
    invitation: null,
    created_at: '2026-01-01T00:00:00.000Z',
    created_by: 'cli:test',
    last_login_at: null,
    known_addresses: [],
    ...part,
  });

beforeEach(async () => {
  store = createMemoryStore();
  asked = [];
  await person();
  const audited = createAuditedStore({ store, now: () => now });
  const tokens = createTokens({ store: audited, now: () => now, randomBytes, actor: `user:${id}` });
  const { secret } = await tokens.create({ description: 'a laptop', kind: 'read', person: id });
  header = `Bearer ${secret.reveal()}`;
  authenticator = createAuthenticator(store, { personStatus: personStatus(store, { personPackages: fromState }) });
});

async function standing(): Promise<ActiveToken | undefined> {
  const authentication = await authenticator.authenticate(header, now);
  return authentication.outcome === 'valid' ? authentication.token : undefined;
}

const sees = async (name: string): Promise<unknown> => (await standing())?.view?.filterOf(name as PackageName) ?? 'all';

it('the role and the email of the person come with the token', async () => {
  expect(await standing()).toMatchObject({ kind: 'read', person: { id, email: 'ada@example.org', role: 'viewer' } });
  await person({ role: 'admin' });
  expect(await standing()).toMatchObject({ person: { role: 'admin' } });
});

it('the person is asked for once, while the state does not change', async () => {
  await standing();
  expect(authenticator.authenticate(header, now)).toMatchObject({ outcome: 'valid' });
  expect(authenticator.authenticate(header, now)).toMatchObject({ outcome: 'valid' });
  expect(asked).toEqual([id]);
});

it('a disabled, invited or missing person makes the token invalid', async () => {
  for (const status of ['disabled', 'invited'] as const) {
    await person({ status });
    expect(await standing()).toBeUndefined();
    await person();
    expect(await standing()).toBeDefined();
  }
  await store.commit({ conditions: [], puts: [], deletes: [userKey(id)] });
  expect(await standing()).toBeUndefined();
});

it('the packages of the person are the view of the token, from the next request on', async () => {
  expect((await standing())?.view).toBeUndefined();
  await put('test-packages', ['acme/*']);
  expect([await sees('acme/core'), await sees('other/core')]).toEqual(['all', 'none']);
  await put('test-packages', []);
  expect([await sees('acme/core'), await sees('other/core')]).toEqual(['none', 'none']);
});

it('a record of a person that could write, or that has packages of its own, is refused as damaged', async () => {
  const [entry] = await store.range('token/');
  const record = entry?.value as object;
  for (const part of [{ kind: 'write' }, { packages: ['acme/*'] }, { person: 'ada' as UserId }]) {
    await put(entry?.key ?? '', { ...record, ...part });
    await expect(standing()).rejects.toThrow('A token record');
  }
});
