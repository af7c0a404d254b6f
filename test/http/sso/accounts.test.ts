// The accounts of people who sign in at an identity provider: made, found, linked or refused, with the role of their
// groups at each sign-in (I24).

import { describe, expect, it } from 'vitest';
import { passkeyKey, type PasskeyId } from '../../../proxy/auth/passkey.ts';
import { commitUser, readUser } from '../../../proxy/auth/user-records.ts';
import { userIdentityKey } from '../../../proxy/auth/user-identity.ts';
import type { UserRecord } from '../../../proxy/auth/user.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import { ada } from '../../util/identity-provider.ts';
import type { PageReply } from '../../util/running-console.ts';
import { runSsoConsole, type SsoConsole } from '../../util/sso-console.ts';

const linking = { linkByEmail: true };
const hourMs = 3_600_000;

async function signIn(run: SsoConsole, login = 'ada'): Promise<PageReply> {
  return (await run.person()).signIn(login);
}

const usersOf = ({ console }: SsoConsole): Promise<readonly UserRecord[]> =>
  console.registry.people.usersOf('cli:test').list();

/** Claims of Ada from now on. */
function change({ provider }: SsoConsole, claims: JsonObject, sub = ada.sub): void {
  provider.people.set('ada', { sub, claims: { ...ada.claims, ...claims } });
}

/** The events of this action, newest first. */
async function events({ console }: SsoConsole, action: string): Promise<readonly JsonObject[]> {
  const rows = await console.registry.state.range('audit/event/', { reverse: true });
  return rows.map(({ value }) => value as JsonObject).filter((event) => event['action'] === action);
}

async function givePasskey(state: StateStore, userId: string): Promise<void> {
  const store = createAuditedStore({ store: state, now: Date.now });
  const stored = (await readUser(store, userId)) ?? expect.unreachable();
  const passkey = {
    id: 'pk_0000000000000000' as PasskeyId,
    credential_id: 'of-the-maker',
    public_key: 'AA',
    counter: 0,
    transports: [],
    rp_id: 'localhost',
    name: 'Laptop',
    created_at: new Date().toISOString(),
    last_used_at: null,
    backed_up: false,
  };
  const event = { actor: 'cli:test', action: 'user.update', subject: userId, details: {} } as const;
  expect(await commitUser(store, stored, { record: { ...stored.record, passkeys: [passkey] }, event })).toBe(true);
  expect(await state.get(passkeyKey('of-the-maker'))).toBeDefined();
}

describe('an account without a password', () => {
  it('is made at the first sign-in, and found at the next, whatever the e-mail address is then', async () => {
    await using run = await runSsoConsole();
    expect((await signIn(run)).status).toBe(303);
    change(run, { email: 'countess@example.org', name: 'Ada King' });
    expect((await signIn(run)).status).toBe(303);
    const users = await usersOf(run);
    expect(users).toMatchObject([
      { email: 'ada@example.org', name: 'Ada Lovelace', role: 'maintainer', status: 'active', password: null },
    ]);
    expect(users[0]?.identities).toMatchObject([{ issuer: run.provider.url, subject: ada.sub }]);
    const [login] = await events(run, 'login');
    expect(login?.['details']).toEqual({ address: '127.0.0.1', provider: 'acme' });
    expect(await events(run, 'user.create')).toMatchObject([{ actor: 'system:sso', details: { provider: 'acme' } }]);
  });

  it('leaves its provider when its owner chooses a password with a link of an admin', async () => {
    await using run = await runSsoConsole(linking);
    const squatter = await run.person();
    await squatter.signIn('ada');
    const { people, state } = run.console.registry;
    const [account] = await usersOf(run);
    await givePasskey(state, account?.id ?? '');
    const { invitation } = await people.usersOf('cli:test').update(account?.id ?? '', { invite: true });
    expect((await squatter.browser.get('/account')).status).toBe(200);
    const code = invitation?.code.reveal() ?? '';
    await people.acceptInvitation({ code, password: 'correct horse battery staple' }, '127.0.0.1');
    expect((await squatter.browser.get('/account')).status).toBe(303);
    const [owned] = await usersOf(run);
    expect([owned?.identities, owned?.passkeys, owned?.password === null]).toEqual([[], [], false]);
    expect(await events(run, 'user.accept_invitation')).toMatchObject([
      { details: { address: '127.0.0.1', left_providers: [run.provider.url] } },
    ]);
    for (const key of [userIdentityKey({ issuer: run.provider.url, subject: ada.sub }), passkeyKey('of-the-maker')])
      expect(await state.get(key)).toBeUndefined();
    change(run, { email_verified: false });
    expect((await signIn(run)).text).toContain('does not say that it checked your e-mail address');
  });

  it('has the role of the groups of each sign-in, with an event', async () => {
    await using run = await runSsoConsole();
    await signIn(run);
    change(run, { groups: ['everyone', 'ops'] });
    await signIn(run);
    expect((await usersOf(run))[0]?.role).toBe('admin');
    const [login] = await events(run, 'login');
    expect(login?.['details']).toMatchObject({ role: 'admin', former_role: 'maintainer' });
  });

  it('keeps the right to change the policy through sign-ins', async () => {
    await using run = await runSsoConsole();
    await signIn(run);
    const [{ id } = { id: '' }] = await usersOf(run);
    await run.console.registry.people.usersOf('cli:test').update(id, { policyEditor: true });
    change(run, { groups: ['everyone', 'ops'] });
    await signIn(run);
    expect((await usersOf(run))[0]).toMatchObject({ role: 'admin', policy_editor: true });
  });

  it('opens no entry without a mapped group, and the page says which groups there are', async () => {
    await using run = await runSsoConsole();
    change(run, { groups: ['sales'] });
    const reply = await signIn(run);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('Your groups there: sales.')]);
    expect(await usersOf(run)).toEqual([]);
    expect(reply.html).toContain('action="../../sso/acme?account=other"');
    expect(await events(run, 'login.refused')).toMatchObject([
      {
        details: {
          reason: 'no mapped group',
          provider: 'acme',
          groups: ['sales'],
          claim: 'groups',
          sub: ada.sub,
          email: 'ada@example.org',
        },
      },
    ]);
  });

  it('has a name without characters that cannot be seen', async () => {
    await using run = await runSsoConsole();
    change(run, { name: 'Ada\u202Eecalevol\u200B\nKing\uFEFF' });
    await signIn(run);
    expect((await usersOf(run))[0]?.name).toBe('Adaecalevol King');
  });

  it('gets no link for a password by mail, and stays active after it was disabled', async () => {
    await using run = await runSsoConsole({}, { mails: true });
    await signIn(run);
    const { people, state } = run.console.registry;
    await people.requestReset?.('ada@example.org', '127.0.0.1');
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect(await state.range('mail-waiting/')).toEqual([]);
    const [{ id } = { id: '' }] = await usersOf(run);
    const users = people.usersOf('cli:test');
    await users.update(id, { status: 'disabled' });
    const refused = await signIn(run);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('your account of this registry is disabled'),
    ]);
    expect((await users.update(id, { status: 'active' })).record.status).toBe('active');
    expect((await signIn(run)).status).toBe(303);
  });

  it('is made anew after it was removed', async () => {
    await using run = await runSsoConsole();
    await signIn(run);
    const [{ id } = { id: '' }] = await usersOf(run);
    await run.console.registry.people.usersOf('cli:test').remove(id);
    const key = userIdentityKey({ issuer: run.provider.url, subject: ada.sub });
    expect(await run.console.registry.state.get(key)).toBeUndefined();
    expect((await signIn(run)).status).toBe(303);
    expect((await usersOf(run))[0]?.id).not.toBe(id);
  });

  it('has sessions that end with the hours of the provider', async () => {
    await using run = await runSsoConsole({ sessionHours: 2 });
    await signIn(run);
    const [{ id } = { id: '' }] = await usersOf(run);
    const [session] = await run.console.registry.people.sessions.list(id);
    expect(session).toMatchObject({
      provider: 'acme',
      provider_subject: ada.sub,
      provider_session: expect.any(String),
    });
    expect(Date.parse(session!.expires_at) - Date.parse(session!.created_at)).toBe(2 * hourMs);
  });

  it('keeps the last admin, who learns what to do', async () => {
    await using run = await runSsoConsole();
    change(run, { groups: ['ops'] });
    await signIn(run);
    change(run, { groups: ['everyone'] });
    const reply = await signIn(run);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('you are the last active admin')]);
    expect((await usersOf(run))[0]?.role).toBe('admin');
  });
});

describe('an account that exists already', () => {
  /** A local account with Ada's address. */
  async function withLocal(settings: object): Promise<SsoConsole> {
    const run = await runSsoConsole(settings);
    const password = 'correct horse battery';
    await run.console.registry.people
      .usersOf('cli:test')
      .create({ email: 'ada@example.org', role: 'viewer', password });
    return run;
  }

  it('is not opened by its e-mail address, unless the operator allows it', async () => {
    await using run = await withLocal({});
    const reply = await signIn(run);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('does not open it for Acme login')]);
    expect((await usersOf(run))[0]?.identities).toBeUndefined();
  });

  it.each([false, undefined, 'true', 1])('is not opened if email_verified is %j', async (verified) => {
    await using run = await withLocal(linking);
    change(run, { email_verified: verified });
    const reply = await signIn(run);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('does not say that it checked')]);
    expect(await events(run, 'login.refused')).toMatchObject([
      { details: { reason: 'e-mail address taken', sub: ada.sub, email: 'ada@example.org' } },
    ]);
  });

  it.each(['ada@example.org\n', ' ada@example.org', 'ada@example.org\u00a0', 'Ada <ada@example.org>'])(
    'is not opened by %j, which is another text than its address',
    async (email) => {
      await using run = await withLocal(linking);
      change(run, { email });
      const reply = await signIn(run);
      expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('sends no valid e-mail address')]);
      expect((await usersOf(run))[0]?.identities).toBeUndefined();
    },
  );

  it('is linked by a verified e-mail address in any case, and keeps its password', async () => {
    await using run = await withLocal(linking);
    change(run, { email: 'Ada@Example.org' });
    expect((await signIn(run)).status).toBe(303);
    const [user] = await usersOf(run);
    expect(user).toMatchObject({ role: 'maintainer', identities: [{ subject: ada.sub }], created_by: 'cli:test' });
    expect(user?.password).not.toBeNull();
    expect(await events(run, 'user.link')).toMatchObject([{ subject: user?.id, details: { provider: 'acme' } }]);
  });

  it('is never opened by another subject of the same issuer', async () => {
    await using run = await runSsoConsole(linking);
    await signIn(run);
    change(run, {}, 'another-subject');
    const reply = await signIn(run);
    expect([reply.status, reply.text]).toEqual([
      403,
      expect.stringContaining('belongs to another account at Acme login'),
    ]);
    expect((await usersOf(run))[0]?.identities).toHaveLength(1);
  });

  it('that was made here stays linked when its person uses a link for a new password', async () => {
    await using run = await runSsoConsole(linking);
    const { people } = run.console.registry;
    const users = people.usersOf('cli:test');
    await users.create({ email: 'ada@example.org', role: 'viewer' });
    await signIn(run);
    const [{ id } = { id: '' }] = await usersOf(run);
    const { invitation } = await users.update(id, { invite: true });
    const given = { code: invitation!.code.reveal(), password: 'correct horse battery staple' };
    await people.acceptInvitation(given, '127.0.0.1');
    change(run, { email_verified: false });
    expect((await signIn(run)).status).toBe(303);
    expect(await usersOf(run)).toMatchObject([{ id, identities: [{ subject: ada.sub }] }]);
  });

  it('that was invited becomes active, and its invitation ends', async () => {
    await using run = await runSsoConsole(linking);
    const { people } = run.console.registry;
    const { invitation } = await people.usersOf('cli:test').create({ email: 'ada@example.org', role: 'viewer' });
    expect((await signIn(run)).status).toBe(303);
    expect(await usersOf(run)).toMatchObject([{ status: 'active', invitation: null }]);
    expect(await people.isInvitationCode(invitation!.code.reveal())).toBe(false);
  });
});
