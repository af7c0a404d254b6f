// Tests authentication over HTTP: setup, login, logout, the password, and the cost of wrong passwords.

import { describe, expect, it } from 'vitest';
import { auditEventPrefix } from '../../../proxy/state/audit.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

const outcome = (reply: Reply): [number, unknown] => [reply.status, reply.json()['code']];
const login = (registry: RunningManagement, body: object): Promise<Reply> =>
  registry.call('POST', '/api/auth/login', { body });
const eventsOf = async (registry: RunningManagement): Promise<Record<string, unknown>[]> =>
  (await registry.state.range(auditEventPrefix)).map(({ value }) => value as Record<string, unknown>);
const strong = 'correct horse battery';

describe('setup', () => {
  const setup = (
    registry: RunningManagement,
    setup_code: string | undefined,
    email = 'ada@example.org',
  ): Promise<Reply> =>
    registry.call('POST', '/api/auth/setup', { body: { setup_code, email, name: 'Ada', password: strong } });
  const offered = async (registry: RunningManagement): Promise<string> =>
    (await registry.people.offerSetup())?.reveal() ?? '';

  it('the printed code creates the first admin, who is logged in', async () => {
    await using registry = await runManagement();
    const reply = await setup(registry, await offered(registry));
    expect(reply.status).toBe(201);
    expect(reply.json()['user']).toMatchObject({
      email: 'ada@example.org',
      name: 'Ada',
      role: 'admin',
      status: 'active',
      two_factor_enabled: false,
    });
    const me = await registry.call('GET', '/api/auth/me', { as: String(reply.json()['token']) });
    expect(me.json()).toEqual({ ...(reply.json()['user'] as object), sees_all_packages: true });
    expect((await login(registry, { email: ' ADA@Example.org ', password: strong })).status).toBe(200);
  });

  it('setup is refused once a user exists, whatever the code', async () => {
    await using registry = await runManagement();
    const [first, second] = [await offered(registry), await offered(registry)];
    await setup(registry, first);
    for (const code of [first, second, 'set_nonsense'])
      expect(outcome(await setup(registry, code, 'eve@example.org'))).toEqual([400, 'SETUP_DONE']);
    expect(await registry.people.offerSetup()).toBeUndefined();
  });

  it('a wrong code and one older than an hour are refused, and a short password does not use the code up', async () => {
    let nowMs = Date.now();
    await using registry = await runManagement({ now: () => nowMs });
    const code = await offered(registry);
    expect(outcome(await setup(registry, 'set_nonsense'))).toEqual([401, 'SETUP_CODE_INVALID']);
    const short = await registry.call('POST', '/api/auth/setup', {
      body: { setup_code: code, email: 'ada@example.org', password: 'short' },
    });
    expect(outcome(short)).toEqual([400, 'INVALID_INPUT']);
    expect(short.json()['details']).toMatchObject({ issues: [{ path: 'password' }] });
    nowMs += 3_600_000;
    expect(outcome(await setup(registry, code))).toEqual([401, 'SETUP_CODE_INVALID']);
    expect((await setup(registry, await offered(registry))).status).toBe(201);
  });

  it('row 44: of two simultaneous setups, with one code or two, exactly one creates an admin', async () => {
    await using registry = await runManagement();
    const codes = [await offered(registry), await offered(registry)];
    const replies = await Promise.all(
      [...codes, ...codes].map((code, at) => setup(registry, code, `admin${at}@example.org`)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    expect(await registry.people.usersOf('cli:test').list()).toHaveLength(1);
  });
});

describe('login', () => {
  it('a login gives a session that opens the management API and no package', async () => {
    await using registry = await runManagement();
    const { email, password } = await registry.signIn('viewer');
    const reply = await login(registry, { email, password });
    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe('private, no-store');
    expect(reply.headers['set-cookie']).toBeUndefined();
    const token = String(reply.json()['token']);
    expect((await registry.call('GET', '/api/auth/me', { as: token })).status).toBe(200);
    expect(outcome(await registry.call('GET', '/packages.json', { as: token }))).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  it('row 33: an unknown email, a wrong password and a disabled user get the same answer', async () => {
    await using registry = await runManagement();
    const known = await registry.signIn('viewer');
    const gone = await registry.signIn('viewer');
    await registry.people.usersOf('cli:test').update(gone.userId, { status: 'disabled' });
    const replies = [
      await login(registry, { email: 'nobody@example.org', password: strong }),
      await login(registry, { email: 'not an email', password: strong }),
      await login(registry, { email: known.email, password: strong }),
      await login(registry, { email: gone.email, password: gone.password }),
    ];
    const shown = replies.map(({ status, body, headers }) => ({
      status,
      body: body.toString(),
      challenge: headers['www-authenticate'],
    }));
    expect(shown).toEqual(Array.from({ length: 4 }, () => shown[0]));
    expect(outcome(replies[0]!)).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('unknown keys and a body that is no JSON object are refused', async () => {
    await using registry = await runManagement();
    const reply = await login(registry, { email: 'a@example.org', password: strong, role: 'admin' });
    expect(outcome(reply)).toEqual([400, 'INVALID_INPUT']);
    expect(outcome(await login(registry, []))).toEqual([400, 'INVALID_INPUT']);
    expect(outcome(await registry.call('POST', '/api/auth/login'))).toEqual([400, 'INVALID_INPUT']);
  });

  it('two simultaneous logins both succeed, each with its own session', async () => {
    await using registry = await runManagement();
    const { email, password } = await registry.signIn('admin');
    const replies = await Promise.all([login(registry, { email, password }), login(registry, { email, password })]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(replies.map((reply) => reply.json()['token'])).size).toBe(2);
  });

  it('row 32: after a few wrong passwords the waiting time grows; then the right password succeeds', async () => {
    let nowMs = Date.now();
    await using registry = await runManagement({ now: () => nowMs });
    const { email, password } = await registry.signIn('admin');
    const wrong = (): Promise<Reply> => login(registry, { email, password: strong });
    for (let failure = 0; failure < 5; failure += 1) expect((await wrong()).status).toBe(401);
    const waits: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const refused = await login(registry, { email, password });
      expect(outcome(refused)).toEqual([429, 'TOO_MANY_ATTEMPTS']);
      const seconds = Number(refused.headers['retry-after']);
      waits.push(seconds);
      nowMs += seconds * 1000;
      expect((await wrong()).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4, 8]);
    nowMs += 16_000;
    expect((await login(registry, { email, password })).status).toBe(200);
    expect((await wrong()).status).toBe(401);
  });

  it('row 32: many simultaneous guesses get no more tries than consecutive ones', async () => {
    await using registry = await runManagement();
    const { email } = await registry.signIn('admin');
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => login(registry, { email, password: `${strong} ${at}` })),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it('row 32: an address that tries many accounts has to wait, and other addresses need not', async () => {
    await using registry = await runManagement();
    const { email, password } = await registry.signIn('admin');
    for (let at = 0; at < 20; at += 1)
      expect((await login(registry, { email: `guess${at}@example.org`, password: strong })).status).toBe(401);
    expect(outcome(await login(registry, { email: 'guess@example.org', password: strong }))).toEqual([
      429,
      'TOO_MANY_ATTEMPTS',
    ]);
    await expect(registry.people.login({ email, password }, '192.0.2.9')).resolves.toMatchObject({ user: { email } });
  });

  it('row 32: strangers cannot lock out the owner, who logs in from a known address', async () => {
    await using registry = await runManagement();
    const { email, password } = await registry.signIn('admin');
    for (let at = 0; at < 50; at += 1)
      await expect(registry.people.login({ email, password: strong }, `198.51.100.${at}`)).rejects.toMatchObject({
        code: 'INVALID_CREDENTIALS',
      });
    const elsewhere = await registry.people.login({ email, password }, '203.0.113.5').catch((error: unknown) => error);
    expect(elsewhere).toMatchObject({
      code: 'TOO_MANY_ATTEMPTS',
      details: { retry_after_seconds: expect.toSatisfy((seconds: number) => seconds <= 60) as number },
    });
    expect((await login(registry, { email, password })).status).toBe(200);
  });

  it('row 43: a clock that was set back makes no waiting time longer', async () => {
    let nowMs = Date.now();
    await using registry = await runManagement({ now: () => nowMs });
    const { email } = await registry.signIn('admin');
    for (let failure = 0; failure < 5; failure += 1) await login(registry, { email, password: strong });
    nowMs -= 3 * 3_600_000;
    expect(Number((await login(registry, { email, password: strong })).headers['retry-after'])).toBe(1);
  });

  it('every refused login is an event, without the typed text', async () => {
    await using registry = await runManagement();
    const { email, userId } = await registry.signIn('admin');
    await login(registry, { email, password: strong });
    await login(registry, { email: strong, password: strong });
    const refused = (await eventsOf(registry)).filter(({ action }) => action === 'login.refused');
    expect(refused).toMatchObject([
      { subject: userId, details: { reason: 'wrong password', address: '127.0.0.1' } },
      { subject: 'unknown', details: { reason: 'unknown user' } },
    ]);
    expect(JSON.stringify(await registry.state.range(''))).not.toContain(strong);
  });

  it('an invalid setup code and an invalid invitation are events too', async () => {
    await using registry = await runManagement();
    await registry.call('POST', '/api/auth/setup', {
      body: { setup_code: 'set_x', email: 'a@example.org', password: strong },
    });
    await registry.call('POST', '/api/auth/invitations/accept', { body: { token: 'inv_x', password: strong } });
    expect((await eventsOf(registry)).map(({ action }) => action)).toEqual(['setup.refused', 'invitation.refused']);
  });
});

describe('the password', () => {
  const change = (
    registry: RunningManagement,
    as: string,
    current_password: string,
    new_password: string,
  ): Promise<Reply> => registry.call('POST', '/api/auth/password', { as, body: { current_password, new_password } });

  it('row 39: a new password requires the current one, ends every session and begins a new one', async () => {
    await using registry = await runManagement();
    const { email, password, token } = await registry.signIn('viewer');
    const other = String((await login(registry, { email, password })).json()['token']);
    const reply = await change(registry, token, password, strong);
    expect(reply.status).toBe(200);
    for (const ended of [token, other])
      expect(outcome(await registry.call('GET', '/api/auth/me', { as: ended }))).toEqual([401, 'INVALID_TOKEN']);
    expect((await registry.call('GET', '/api/auth/me', { as: String(reply.json()['token']) })).status).toBe(200);
    expect((await login(registry, { email, password })).status).toBe(401);
    expect((await login(registry, { email, password: strong })).status).toBe(200);
  });

  it('the password stays when the current one is wrong, or the new one is too short', async () => {
    await using registry = await runManagement();
    const { password, token } = await registry.signIn('viewer');
    expect(outcome(await change(registry, token, 'something else', strong))).toEqual([401, 'INVALID_CREDENTIALS']);
    const short = await change(registry, token, password, 'too short');
    expect(outcome(short)).toEqual([400, 'INVALID_INPUT']);
    expect(short.json()['details']).toMatchObject({ issues: [{ path: 'new_password' }] });
    expect((await registry.call('GET', '/api/auth/me', { as: token })).status).toBe(200);
  });

  it('of two simultaneous changes one succeeds', async () => {
    await using registry = await runManagement();
    const { password, token } = await registry.signIn('viewer');
    const replies = await Promise.all([
      change(registry, token, password, `${strong} 1`),
      change(registry, token, password, `${strong} 2`),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});
