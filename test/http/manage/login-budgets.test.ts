// Tests parallel and repeated logins over HTTP. Correct logins never refuse each other, wrong ones never get more
// tries, and Retry-After is the real wait.

import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { runManagement, type RunningManagement, type SignedIn } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

const minuteMs = 60_000;
const wrongPassword = 'correct horse battery';

const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status).sort();
const atOnce = <Result>(count: number, start: (at: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => start(at)));
const retryAfter = (reply: Reply): number => Number(reply.headers['retry-after']);

interface Desk extends AsyncDisposable {
  readonly registry: RunningManagement;
  readonly person: SignedIn;
  readonly pass: (ms: number) => void;
  readonly nowMs: () => number;
  readonly login: (more?: object) => Promise<Reply>;
}

async function open(): Promise<Desk> {
  let nowMs = Date.now();
  const registry = await runManagement({ now: () => nowMs });
  const person = await registry.signIn('admin');
  return {
    registry,
    person,
    pass: (ms) => void (nowMs += ms),
    nowMs: () => nowMs,
    login: (more = {}) =>
      registry.call('POST', '/api/auth/login', { body: { email: person.email, password: person.password, ...more } }),
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
}

describe('correct logins', () => {
  it('twelve simultaneous logins of one user from one address all succeed', async () => {
    await using desk = await open();
    expect(statuses(await atOnce(12, () => desk.login()))).toEqual(Array.from({ length: 12 }, () => 200));
  });

  it('logins after a lockout all succeed from one address, and prolong no waiting time', async () => {
    await using desk = await open();
    const guess = (at: number): Promise<Reply> =>
      desk.login({ email: `guess${at}@example.org`, password: wrongPassword });
    expect(statuses(await atOnce(20, guess))).toEqual(Array.from({ length: 20 }, () => 401));
    for (let at = 20; at < 30; at += 1) {
      desk.pass(retryAfter(await desk.login()) * 1000);
      expect((await guess(at)).status).toBe(401);
    }
    expect(retryAfter(await desk.login())).toBe(900);
    desk.pass(10 * minuteMs);
    expect(retryAfter(await desk.login())).toBe(300);
    desk.pass(5 * minuteMs);
    expect(statuses(await atOnce(6, () => desk.login()))).toEqual([200, 200, 200, 200, 200, 200]);
    for (let at = 0; at < 3; at += 1) expect((await desk.login()).status).toBe(200);
  });

  it('wrong logins next to a correct one get no more answers than the budget allows', async () => {
    await using desk = await open();
    const replies = await atOnce(30, (at) => desk.login(at === 29 ? {} : { password: `${wrongPassword} ${at}` }));
    expect(replies.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
  });
});

describe('codes of two-factor authentication', () => {
  const codeOf = (desk: Desk, secret: string): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: desk.nowMs() });

  async function withTwoFactor(desk: Desk): Promise<{ readonly secret: string; readonly recovery: readonly string[] }> {
    const post = (path: string, body: object): Promise<Reply> =>
      desk.registry.call('POST', `/api/auth/2fa/${path}`, { as: desk.person.token, body });
    const secret = String((await post('setup', { password: desk.person.password })).json()['secret']);
    const recovery = (await post('enable', { code: codeOf(desk, secret) })).json()['recovery_codes'] as string[];
    desk.pass(minuteMs);
    return { secret, recovery };
  }

  it('after ten wrong codes Retry-After is the waiting time of codes at every request, and ends at that time', async () => {
    await using desk = await open();
    const { secret } = await withTwoFactor(desk);
    for (let at = 0; at < 10; at += 1) expect((await desk.login({ code: '000000' })).status).toBe(401);
    for (let at = 0; at < 8; at += 1) expect(retryAfter(await desk.login({ code: '000000' }))).toBe(3600);
    desk.pass(20 * minuteMs);
    const refused = await desk.login({ code: codeOf(desk, secret) });
    expect([refused.status, retryAfter(refused)]).toEqual([429, 2400]);
    desk.pass(40 * minuteMs);
    expect((await desk.login({ code: codeOf(desk, secret) })).status).toBe(200);
  });

  it('twenty simultaneous wrong codes get ten answers, and simultaneous correct recovery codes all succeed', async () => {
    await using desk = await open();
    const { recovery } = await withTwoFactor(desk);
    expect(statuses(await atOnce(6, (at) => desk.login({ code: recovery[at] })))).toEqual([
      200, 200, 200, 200, 200, 200,
    ]);
    const replies = await atOnce(20, (at) => desk.login({ code: String(at).padStart(6, '0') }));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  it('many requests that confirm one password at once all succeed', async () => {
    await using desk = await open();
    const post = (): Promise<Reply> =>
      desk.registry.call('POST', '/api/auth/2fa/setup', {
        as: desk.person.token,
        body: { password: desk.person.password },
      });
    expect(statuses(await atOnce(8, post))).toEqual(Array.from({ length: 8 }, () => 200));
  });
});

describe('invitations', () => {
  it('wrong invitations at once get as many answers as the budget of an address allows', async () => {
    await using desk = await open();
    const accept = (at: number): Promise<Reply> =>
      desk.registry.call('POST', '/api/auth/invitations/accept', {
        body: { token: `inv_${at}`, password: wrongPassword },
      });
    const replies = await atOnce(30, accept);
    expect(replies.filter((reply) => reply.json()['code'] === 'INVITATION_INVALID')).toHaveLength(20);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  it('correct invitations at once from one address all create their users', async () => {
    await using desk = await open();
    const users = desk.registry.people.usersOf('cli:test');
    const codes = await Promise.all(
      Array.from({ length: 22 }, async (_, at) =>
        (await users.create({ email: `new${at}@example.org`, role: 'viewer' })).invitation?.code.reveal(),
      ),
    );
    const replies = await Promise.all(
      codes.map((token) =>
        desk.registry.call('POST', '/api/auth/invitations/accept', { body: { token, password: wrongPassword } }),
      ),
    );
    expect(statuses(replies)).toEqual(Array.from({ length: 22 }, () => 200));
  });
});
