// Tests users over HTTP: inviting, changing, disabling and removing them, and that one admin remains.

import { describe, expect, it } from 'vitest';
import { auditEventPrefix } from '../../../proxy/state/audit.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

const outcome = (reply: Reply): [number, unknown] => [reply.status, reply.json()['code']];
const strong = 'correct horse battery';
const eve = { email: 'eve@example.org', role: 'viewer', name: 'Eve' };

const invite = (registry: RunningManagement, as: string, body: object = eve): Promise<Reply> =>
  registry.call('POST', '/api/users', { as, body });
const invitationOf = (reply: Reply): string => (reply.json()['invitation'] as { token: string }).token;
const accept = (registry: RunningManagement, token: string, password = strong): Promise<Reply> =>
  registry.call('POST', '/api/auth/invitations/accept', { body: { token, password } });
const login = (registry: RunningManagement, email: string, password: string): Promise<Reply> =>
  registry.call('POST', '/api/auth/login', { body: { email, password } });

describe('an invitation', () => {
  it('lets a person choose a password, once', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const reply = await invite(registry, as);
    expect(reply.status).toBe(201);
    expect(reply.json()).toMatchObject({
      ...eve,
      status: 'invited',
      two_factor_enabled: false,
      invitation: { link: expect.stringContaining(`/ui/invitation?code=${invitationOf(reply)}`) as string },
    });
    expect((await login(registry, eve.email, strong)).status).toBe(401);
    const accepted = await accept(registry, invitationOf(reply));
    expect(accepted.status).toBe(200);
    expect(accepted.json()).toMatchObject({ id: reply.json()['id'], status: 'active', invitation_expires_at: null });
    expect((await login(registry, eve.email, strong)).status).toBe(200);
    expect(outcome(await accept(registry, invitationOf(reply)))).toEqual([400, 'INVITATION_INVALID']);
  });

  it('is stored only as a hash, in the state and in the audit log', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const code = invitationOf(await invite(registry, as));
    expect(JSON.stringify(await registry.state.range(''))).not.toContain(code);
    expect((await registry.call('GET', '/api/users', { as })).body.toString()).not.toContain('inv_');
  });

  it('a valid invitation with a refused password does not count as a guess', async () => {
    await using registry = await runManagement();
    const code = invitationOf(await invite(registry, (await registry.signIn('admin')).token));
    for (let at = 0; at < 25; at += 1)
      expect(outcome(await accept(registry, code, 'too short'))).toEqual([400, 'INVALID_INPUT']);
    expect((await accept(registry, code)).status).toBe(200);
  });

  it('ends after seven days, with a newer invitation, and when the user is disabled or removed', async () => {
    let nowMs = Date.now();
    await using registry = await runManagement({ now: () => nowMs });
    const users = registry.people.usersOf('cli:test');
    const make = (email: string) => users.create({ email, role: 'viewer' });
    const [late, replaced, disabled, gone] = [
      await make('a@example.org'),
      await make('b@example.org'),
      await make('c@example.org'),
      await make('d@example.org'),
    ];
    const again = await users.update(replaced.record.id, { invite: true });
    await users.update(disabled.record.id, { status: 'disabled' });
    await users.remove(gone.record.id);
    for (const { invitation } of [replaced, disabled, gone])
      expect(outcome(await accept(registry, invitation?.code.reveal() ?? ''))).toEqual([400, 'INVITATION_INVALID']);
    nowMs += 7 * 24 * 3_600_000 - 1;
    expect((await accept(registry, again.invitation?.code.reveal() ?? '')).status).toBe(200);
    nowMs += 1;
    expect(outcome(await accept(registry, late.invitation?.code.reveal() ?? ''))).toEqual([400, 'INVITATION_INVALID']);
  });

  it('an invitation stays ended after its user is disabled and enabled again, and a new invitation works', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const bob = await registry.signIn('viewer');
    const invited = await invite(registry, as);
    const reset = await registry.call('PATCH', `/api/users/${bob.userId}`, { as, body: { invite: true } });
    for (const [id, old] of [
      [String(invited.json()['id']), invitationOf(invited)],
      [bob.userId, invitationOf(reset)],
    ] as const) {
      const change = (body: object): Promise<Reply> => registry.call('PATCH', `/api/users/${id}`, { as, body });
      expect((await change({ status: 'disabled' })).json()).toMatchObject({
        status: 'disabled',
        invitation_expires_at: null,
      });
      expect((await change({ status: 'active' })).json()).toMatchObject({ invitation_expires_at: null });
      expect(outcome(await accept(registry, old))).toEqual([400, 'INVITATION_INVALID']);
      expect((await accept(registry, invitationOf(await change({ invite: true })))).status).toBe(200);
    }
    expect(await registry.state.range('user-invitation/')).toEqual([]);
  });

  it('ends when its user chooses a password in another way', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const bob = await registry.signIn('viewer');
    const reset = invitationOf(
      await registry.call('PATCH', `/api/users/${bob.userId}`, { as, body: { invite: true } }),
    );
    expect(
      (
        await registry.call('POST', '/api/auth/password', {
          as: bob.token,
          body: { current_password: bob.password, new_password: strong },
        })
      ).status,
    ).toBe(200);
    expect(outcome(await accept(registry, reset))).toEqual([400, 'INVITATION_INVALID']);
  });

  it('of a user with a password changes nothing until it is accepted, then replaces the password and ends the sessions', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const bob = await registry.signIn('viewer');
    const reply = await registry.call('PATCH', `/api/users/${bob.userId}`, { as, body: { invite: true } });
    expect((await registry.call('GET', '/api/auth/me', { as: bob.token })).status).toBe(200);
    expect((await login(registry, bob.email, bob.password)).status).toBe(200);
    expect((await accept(registry, invitationOf(reply))).status).toBe(200);
    expect((await registry.call('GET', '/api/auth/me', { as: bob.token })).status).toBe(401);
    expect((await login(registry, bob.email, bob.password)).status).toBe(401);
    expect((await login(registry, bob.email, strong)).status).toBe(200);
  });

  it('is accepted once of two simultaneous attempts', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const code = invitationOf(await invite(registry, as));
    const replies = await Promise.all([accept(registry, code), accept(registry, code, `${strong} too`)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('users', () => {
  it('are listed oldest first, in pages, without anything secret', async () => {
    await using registry = await runManagement();
    const { token: as, userId, password } = await registry.signIn('admin');
    const other = await invite(registry, as);
    const first = await registry.call('GET', '/api/users?limit=1', { as });
    const second = await registry.call('GET', `/api/users?limit=1&cursor=${String(first.json()['next_cursor'])}`, {
      as,
    });
    const ids = [first, second].flatMap((reply) => (reply.json()['data'] as { id: string }[]).map(({ id }) => id));
    expect(ids.sort()).toEqual([userId, other.json()['id']].sort());
    expect(second.json()['next_cursor']).toBeNull();
    expect(`${first.body.toString()}${second.body.toString()}`).not.toMatch(/scrypt|known_addresses/);
    expect(first.body.toString()).not.toContain(password);
  });

  it('have one email each, in any spelling', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const replies = await Promise.all([
      invite(registry, as),
      invite(registry, as, { ...eve, email: ' EVE@Example.ORG' }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(outcome(await invite(registry, as))).toEqual([400, 'CONFLICT']);
    for (const email of ['eve', 'eve@', '@x', 'a b@example.org', `${'x'.repeat(300)}@example.org`])
      expect(outcome(await invite(registry, as, { ...eve, email }))).toEqual([400, 'INVALID_INPUT']);
  });

  it('row 45: refuse fields that a caller may not set, and unknown ids are 404', async () => {
    await using registry = await runManagement();
    const { token: as, userId } = await registry.signIn('admin');
    for (const more of [
      { id: 'usr_0000000000000000' },
      { created_at: '2020-01-01T00:00:00Z' },
      { password: strong },
      { status: 'active' },
    ])
      expect(outcome(await invite(registry, as, { ...eve, ...more }))).toEqual([400, 'INVALID_INPUT']);
    for (const body of [{ email: 'x@example.org' }, { two_factor_enabled: false }, { known_addresses: [] }, {}])
      expect(outcome(await registry.call('PATCH', `/api/users/${userId}`, { as, body }))).toEqual([
        400,
        'INVALID_INPUT',
      ]);
    for (const method of ['GET', 'DELETE'] as const)
      expect(outcome(await registry.call(method, '/api/users/usr_0000000000000000', { as }))).toEqual([
        404,
        'NOT_FOUND',
      ]);
    expect(
      outcome(await registry.call('PATCH', '/api/users/usr_0000000000000000', { as, body: { name: 'x' } })),
    ).toEqual([404, 'NOT_FOUND']);
  });

  it('row 39: lose their sessions when disabled, and log in again once enabled', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const bob = await registry.signIn('maintainer');
    const status = (to: string): Promise<Reply> =>
      registry.call('PATCH', `/api/users/${bob.userId}`, { as, body: { status: to } });
    for (let time = 0; time < 2; time += 1)
      expect((await status('disabled')).json()).toMatchObject({ status: 'disabled' });
    expect(outcome(await registry.call('GET', '/api/auth/me', { as: bob.token }))).toEqual([401, 'INVALID_TOKEN']);
    await status('active');
    expect((await registry.call('GET', '/api/auth/me', { as: bob.token })).status).toBe(401);
    expect((await login(registry, bob.email, bob.password)).status).toBe(200);
  });

  it('with a changed role have its permissions from the next request on', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const bob = await registry.signIn('viewer');
    expect((await registry.call('GET', '/api/users', { as: bob.token })).status).toBe(403);
    await registry.call('PATCH', `/api/users/${bob.userId}`, { as, body: { role: 'admin' } });
    expect((await registry.call('GET', '/api/users', { as: bob.token })).status).toBe(200);
  });

  it('are removed with sessions and email, and a second removal is 404', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const bob = await registry.signIn('viewer');
    expect((await registry.call('DELETE', `/api/users/${bob.userId}`, { as })).json()).toMatchObject({
      id: bob.userId,
    });
    expect((await registry.call('GET', '/api/auth/me', { as: bob.token })).status).toBe(401);
    expect((await registry.call('DELETE', `/api/users/${bob.userId}`, { as })).status).toBe(404);
    const keys = (await registry.state.range(''))
      .map(({ key }) => key)
      .filter((key) => !key.startsWith(auditEventPrefix));
    expect(keys.filter((key) => key.includes(bob.userId))).toEqual([]);
    expect((await invite(registry, as, { email: bob.email, role: 'viewer' })).status).toBe(201);
  });
});

describe('row 44: an admin remains', () => {
  it('the last admin cannot be demoted, disabled or deleted', async () => {
    await using registry = await runManagement();
    const { token: as, userId } = await registry.signIn('admin');
    await invite(registry, as, { ...eve, role: 'admin' }); // invited, not active: does not count
    for (const body of [{ role: 'viewer' }, { status: 'disabled' }])
      expect(outcome(await registry.call('PATCH', `/api/users/${userId}`, { as, body }))).toEqual([400, 'LAST_ADMIN']);
    expect(outcome(await registry.call('DELETE', `/api/users/${userId}`, { as }))).toEqual([400, 'LAST_ADMIN']);
    expect((await registry.call('GET', '/api/auth/me', { as })).json()).toMatchObject({
      role: 'admin',
      status: 'active',
    });
  });

  it('of two admins who demote each other at once one remains', async () => {
    await using registry = await runManagement();
    const [one, other] = [await registry.signIn('admin'), await registry.signIn('admin')];
    const demote = (as: string, id: string): Promise<Reply> =>
      registry.call('PATCH', `/api/users/${id}`, { as, body: { role: 'viewer' } });
    const replies = await Promise.all([demote(one.token, other.userId), demote(other.token, one.userId)]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = await registry.people.usersOf('cli:test').list();
    expect(left.filter(({ role }) => role === 'admin')).toHaveLength(1);
  });

  it('one admin remains although several requests remove admins at the same moment', async () => {
    await using registry = await runManagement();
    const ids = [
      (await registry.signIn('admin')).userId,
      (await registry.signIn('admin')).userId,
      (await registry.signIn('admin')).userId,
    ] as const;
    const users = registry.people.usersOf('cli:test');
    const outcomes = await Promise.allSettled([
      users.update(ids[0], { role: 'viewer' }),
      users.update(ids[1], { status: 'disabled' }),
      users.remove(ids[2]),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'LAST_ADMIN' } });
  });

  it('no user can promote themselves', async () => {
    await using registry = await runManagement();
    await registry.signIn('admin');
    for (const role of ['maintainer', 'viewer'] as const) {
      const { token: as, userId } = await registry.signIn(role);
      expect(outcome(await registry.call('PATCH', `/api/users/${userId}`, { as, body: { role: 'admin' } }))).toEqual([
        403,
        'INSUFFICIENT_SCOPE',
      ]);
      expect(outcome(await invite(registry, as, { ...eve, role: 'admin' }))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    }
    const write = await registry.createToken('write');
    expect(outcome(await registry.call('GET', '/api/users', { as: write }))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(outcome(await registry.call('GET', '/api/users'))).toEqual([401, 'AUTHENTICATION_REQUIRED']);
  });
});
