// Tests two-factor authentication over HTTP.

import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { runManagement, type RunningManagement, type SignedIn } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

const outcome = (reply: Reply): [number, unknown] => [reply.status, reply.json()['code']];
const stepMs = 30_000;

interface Desk extends AsyncDisposable {
  readonly registry: RunningManagement;
  readonly person: SignedIn;
  /** the token of the present session: enabling and disabling replace it */
  as: string;
  secret: string;
  recovery: string[];
  readonly pass: (ms: number) => void;
  /** the code of the authenticator, `steps` of 30 seconds from now */
  readonly code: (steps?: number) => string;
  readonly post: (path: string, body: object) => Promise<Reply>;
  readonly login: (code?: string) => Promise<Reply>;
}

async function withTwoFactor({ enabled = true } = {}): Promise<Desk> {
  let nowMs = Math.floor(Date.now() / stepMs) * stepMs;
  const registry = await runManagement({ now: () => nowMs });
  const person = await registry.signIn('maintainer');
  const desk: Desk = {
    registry,
    person,
    as: person.token,
    secret: '',
    recovery: [],
    pass: (ms) => void (nowMs += ms),
    code: (steps = 0) =>
      new TOTP({ secret: Secret.fromBase32(desk.secret) }).generate({ timestamp: nowMs + steps * stepMs }),
    post: (path, body) => registry.call('POST', `/api/auth/2fa/${path}`, { as: desk.as, body }),
    login: (code) =>
      registry.call('POST', '/api/auth/login', {
        body: { email: person.email, password: person.password, ...(code === undefined ? {} : { code }) },
      }),
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
  desk.secret = String((await desk.post('setup', { password: person.password })).json()['secret']);
  if (!enabled) return desk;
  const reply = await desk.post('enable', { code: desk.code() });
  expect(reply.status).toBe(200);
  desk.as = String(reply.json()['token']);
  desk.recovery = reply.json()['recovery_codes'] as string[];
  desk.pass(stepMs);
  return desk;
}

describe('setting up two-factor authentication', () => {
  it('shows the secret in three forms, and has no effect until a code confirms it', async () => {
    await using desk = await withTwoFactor({ enabled: false });
    const reply = await desk.post('setup', { password: desk.person.password });
    expect(reply.json()).toMatchObject({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/) as string,
      uri: expect.stringMatching(/^otpauth:\/\/totp\/Libretto:/) as string,
      qr_svg: expect.stringMatching(/^<svg/) as string,
    });
    expect((await desk.login()).status).toBe(200);
    expect((await desk.registry.call('GET', '/api/auth/me', { as: desk.as })).json()).toMatchObject({
      two_factor_enabled: false,
      recovery_codes_left: 0,
    });
  });

  it('row 38: requires the password, and a code to enable, disable or renew', async () => {
    await using desk = await withTwoFactor();
    expect(outcome(await desk.post('setup', { password: 'something else' }))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(outcome(await desk.post('disable', { password: 'something else', code: desk.code() }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    expect(outcome(await desk.post('disable', { password: desk.person.password, code: '000000' }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    expect(outcome(await desk.post('disable', { password: desk.person.password }))).toEqual([400, 'INVALID_INPUT']);
    expect(outcome(await desk.post('recovery-codes', { password: desk.person.password, code: '000000' }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    expect(outcome(await desk.login())).toEqual([401, 'TWO_FACTOR_REQUIRED']);
  });

  it('is refused with the reason in the wrong state', async () => {
    await using desk = await withTwoFactor();
    expect(outcome(await desk.post('setup', { password: desk.person.password }))).toEqual([400, 'TWO_FACTOR_STATE']);
    expect(outcome(await desk.post('enable', { code: desk.code() }))).toEqual([400, 'TWO_FACTOR_STATE']);
    const off = await desk.post('disable', { password: desk.person.password, code: desk.code() });
    desk.as = String(off.json()['token']);
    expect(outcome(await desk.post('enable', { code: desk.code() }))).toEqual([400, 'TWO_FACTOR_STATE']);
    expect(outcome(await desk.post('disable', { password: desk.person.password, code: desk.code() }))).toEqual([
      400,
      'TWO_FACTOR_STATE',
    ]);
  });

  it('rows 38 and 39: ends the other sessions at enabling and disabling, and this session is replaced', async () => {
    await using desk = await withTwoFactor({ enabled: false });
    const me = async (as: string): Promise<number> => (await desk.registry.call('GET', '/api/auth/me', { as })).status;
    const before = [desk.as, String((await desk.login()).json()['token'])];
    const on = await desk.post('enable', { code: desk.code() });
    desk.as = String(on.json()['token']);
    expect(await Promise.all([...before, desk.as].map(me))).toEqual([401, 401, 200]);
    desk.pass(stepMs);
    const off = await desk.post('disable', { password: desk.person.password, code: desk.code() });
    expect(await Promise.all([desk.as, String(off.json()['token'])].map(me))).toEqual([401, 200]);
    expect((await desk.login()).status).toBe(200);
  });

  it('stores the secret sealed and the recovery codes hashed', async () => {
    await using desk = await withTwoFactor();
    const state = JSON.stringify(await desk.registry.state.range(''));
    for (const secret of [desk.secret, ...desk.recovery, ...desk.recovery.map((code) => code.replaceAll('-', ''))])
      expect(state).not.toContain(secret);
  });

  it('is enabled once by two simultaneous requests', async () => {
    await using desk = await withTwoFactor({ enabled: false });
    const replies = await Promise.all([
      desk.post('enable', { code: desk.code() }),
      desk.post('enable', { code: desk.code() }),
    ]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('logging in with two-factor authentication', () => {
  it('requires the code only after the right password', async () => {
    await using desk = await withTwoFactor();
    expect(outcome(await desk.login())).toEqual([401, 'TWO_FACTOR_REQUIRED']);
    const wrong = await desk.registry.call('POST', '/api/auth/login', {
      body: { email: desk.person.email, password: 'something else', code: desk.code() },
    });
    expect(outcome(wrong)).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await desk.login(desk.code())).json()['user']).toMatchObject({
      two_factor_enabled: true,
      recovery_codes_left: 10,
    });
  });

  it('row 35: accepts a code one step early or late, and no code of a used or earlier step', async () => {
    await using desk = await withTwoFactor();
    desk.pass(10 * stepMs);
    for (const steps of [-2, 2]) expect((await desk.login(desk.code(steps))).status).toBe(401);
    expect((await desk.login(desk.code(-1))).status).toBe(200);
    expect((await desk.login(desk.code(-1))).status).toBe(401);
    expect((await desk.login(desk.code(1))).status).toBe(200);
    for (const steps of [-1, 0, 1]) expect((await desk.login(desk.code(steps))).status).toBe(401);
  });

  it('row 35: accepts the same code once of two simultaneous uses', async () => {
    await using desk = await withTwoFactor();
    const code = desk.code();
    const replies = await Promise.all([desk.login(code), desk.login(code), desk.login(code)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  it('row 36: allows ten wrong codes an hour, however they are spread', async () => {
    await using desk = await withTwoFactor();
    const { email, password } = desk.person;
    const guess = (at: number): Promise<unknown> =>
      desk.registry.people
        .login({ email, password, code: '000000' }, `198.51.100.${at}`)
        .catch((error: unknown) => error);
    for (let at = 0; at < 10; at += 1) expect(await guess(at)).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(await guess(11)).toMatchObject({ code: 'TOO_MANY_ATTEMPTS', details: { retry_after_seconds: 3600 } });
    const right = await desk.login(desk.code());
    expect([right.status, right.headers['retry-after']]).toEqual([429, '3600']);
    desk.pass(3_600_000);
    expect((await desk.login(desk.code())).status).toBe(200);
  });

  it('row 37: accepts a recovery code once, in any spelling, and shows the number of remaining codes', async () => {
    await using desk = await withTwoFactor();
    expect(desk.recovery).toHaveLength(10);
    expect(new Set(desk.recovery).size).toBe(10);
    for (const code of desk.recovery) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}$/); // 24 × 5 bits
    const [first = '', second = ''] = desk.recovery;
    expect((await desk.login(first.toLowerCase().replaceAll('-', ' '))).json()['user']).toMatchObject({
      recovery_codes_left: 9,
    });
    expect(outcome(await desk.login(first))).toEqual([401, 'INVALID_CREDENTIALS']);
    const replies = await Promise.all([desk.login(second), desk.login(second)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('row 37: refuses the former recovery codes after new ones were made', async () => {
    await using desk = await withTwoFactor();
    const reply = await desk.post('recovery-codes', { password: desk.person.password, code: desk.code() });
    const [fresh = ''] = reply.json()['recovery_codes'] as string[];
    expect((await desk.login(desk.recovery[0])).status).toBe(401);
    expect((await desk.login(fresh)).status).toBe(200);
  });

  it('needs no code after an admin disabled it for the user', async () => {
    await using desk = await withTwoFactor();
    const { token: admin } = await desk.registry.signIn('admin');
    const reply = await desk.registry.call('PATCH', `/api/users/${desk.person.userId}`, {
      as: admin,
      body: { reset_two_factor: true },
    });
    expect(reply.json()).toMatchObject({ two_factor_enabled: false });
    expect((await desk.registry.call('GET', '/api/auth/me', { as: desk.as })).status).toBe(401);
    expect((await desk.login()).status).toBe(200);
  });
});
