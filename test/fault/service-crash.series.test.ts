// Tests a service that is killed between any two calls: every acknowledged change is there after its return, and every
// removal stays.

import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';

let registry: ManagedRegistry;

beforeAll(async () => {
  registry = await startManagedRegistry({});
  await crash();
});
afterAll(() => registry[Symbol.asyncDispose]());

async function crash(): Promise<void> {
  await registry.stop('SIGKILL');
  await registry.start();
}

/** The stories run side by side. Each waits here after an answer, and one crash ends all these waits. */
let telling = 0;
const waiting: (() => void)[] = [];
function commonCrash(): Promise<void> {
  const crashed = new Promise<void>((resolve) => void waiting.push(resolve));
  void crashWhereAllWait();
  return crashed;
}
async function crashWhereAllWait(): Promise<void> {
  if (waiting.length < telling || waiting.length === 0) return;
  await crash();
  for (const resume of waiting.splice(0)) resume();
}
const story = (title: string, tell: () => Promise<void>): void => {
  telling += 1;
  it.concurrent(title, async () => {
    try {
      await tell();
    } finally {
      telling -= 1;
      await crashWhereAllWait();
    }
  });
};

async function acknowledged(
  status: number,
  ...call: Parameters<ManagedRegistry['api']>
): Promise<Record<string, unknown>> {
  const { status: answered, json } = await registry.api(...call);
  expect([call[0], call[1], answered, answered === status ? '' : json]).toEqual([call[0], call[1], status, '']);
  await commonCrash();
  return json;
}

const opens = async (as: unknown, path = '/api/status'): Promise<number> =>
  (await registry.api('GET', path, undefined, String(as))).status;

/** `step` counts steps of 30 seconds; each code of the authenticator is valid once. */
const codeOf = (secret: unknown, step = 0): string =>
  new TOTP({ secret: String(secret) }).generate({ timestamp: Date.now() + step * 30_000 });

describe('SIGKILL after each answer', () => {
  story('loses no change of a token: created, updated, rotated, revoked', async () => {
    const { id, token } = await acknowledged(201, 'POST', '/api/tokens', { description: 'CI', kind: 'read' });
    expect(await opens(token)).toBe(200);
    await acknowledged(200, 'PATCH', `/api/tokens/${String(id)}`, { rate_limit: 70 });
    const rotated = await acknowledged(200, 'POST', `/api/tokens/${String(id)}/rotate`, { grace_seconds: 600 });
    expect([await opens(token), await opens(rotated['token']), rotated['rate_limit']]).toEqual([200, 200, 70]);
    await acknowledged(200, 'DELETE', `/api/tokens/${String(id)}`);
    expect([await opens(token), await opens(rotated['token'])]).toEqual([401, 401]);
  });

  story('loses no change of a user: invited, logged in, with two-factor authentication, logged out', async () => {
    const invited = await acknowledged(201, 'POST', '/api/users', { email: 'grace@example.org', role: 'viewer' });
    const { token: invitation } = invited['invitation'] as { token: string };
    const password = 'a much longer password';
    await acknowledged(200, 'POST', '/api/auth/invitations/accept', { token: invitation, password }, '');
    expect(
      (await registry.api('POST', '/api/auth/invitations/accept', { token: invitation, password })).json['code'],
    ).toBe('INVITATION_INVALID');
    const { token: first } = await acknowledged(200, 'POST', '/api/auth/login', {
      email: 'grace@example.org',
      password,
    });
    const { secret } = await acknowledged(200, 'POST', '/api/auth/2fa/setup', { password }, String(first));
    const enabled = await acknowledged(
      200,
      'POST',
      '/api/auth/2fa/enable',
      { code: codeOf(secret, -1) },
      String(first),
    );
    expect([await opens(first), await opens(enabled['token'])]).toEqual([401, 200]);
    const [recovery] = enabled['recovery_codes'] as string[];
    await acknowledged(200, 'POST', '/api/auth/login', { email: 'grace@example.org', password, code: recovery });
    expect(
      (await registry.api('POST', '/api/auth/login', { email: 'grace@example.org', password, code: recovery })).status,
    ).toBe(401);
    await acknowledged(200, 'POST', '/api/auth/logout', undefined, String(enabled['token']));
    expect(await opens(enabled['token'])).toBe(401);
    const again = await acknowledged(200, 'POST', '/api/auth/login', {
      email: 'grace@example.org',
      password,
      code: codeOf(secret, 1),
    });
    await acknowledged(200, 'PATCH', `/api/users/${String(invited['id'])}`, { status: 'disabled' });
    expect(await opens(again['token'])).toBe(401);
  });

  story('loses no setting and no repository, and its credentials can still be opened', async () => {
    await acknowledged(200, 'PATCH', '/api/settings', { limits: { read: 5000 } });
    expect((await registry.api('GET', '/api/settings')).json['limits']).toMatchObject({
      read: { value: 5000, origin: 'api' },
    });
    const { id } = await acknowledged(201, 'POST', '/api/repositories', {
      type: 'git',
      url: 'https://git.example.org/hello.git',
      credentials: { username: 'ci', password: 'of the git server' },
    });
    expect((await registry.api('GET', `/api/repositories/${String(id)}`)).json).toMatchObject({
      url: 'https://git.example.org/hello.git',
      status: 'pending',
    });
    expect((await registry.cli('keys', 'rotate', 'sealing')).exitCode).toBe(0);
  });

  story('loses no failed login', async () => {
    for (let at = 0; at < 5; at += 1)
      await acknowledged(401, 'POST', '/api/auth/login', {
        email: 'nobody@example.org',
        password: 'not the right one',
      });
    const { status, json } = await registry.api('POST', '/api/auth/login', {
      email: 'nobody@example.org',
      password: 'not the right one',
    });
    // a slow start outlasts the wait of a second, so the test checks the count
    expect([401, 429]).toContain(status);
    if (status === 401)
      expect(
        (await registry.api('POST', '/api/auth/login', { email: 'nobody@example.org', password: 'not the right one' }))
          .json['code'],
      ).toBe('TOO_MANY_ATTEMPTS');
    else expect(json['code']).toBe('TOO_MANY_ATTEMPTS');
  });

  it('afterwards has a valid audit log with every event', async () => {
    const { stdout, exitCode } = await registry.cli('audit', 'list', '--json', '--limit', '200');
    expect(exitCode).toBe(0);
    const actions = new Set(
      (JSON.parse(stdout) as { events: { action: string }[] }).events.map(({ action }) => action),
    );
    for (const action of [
      'setup',
      'token.create',
      'token.update',
      'token.rotate',
      'token.revoke',
      'user.create',
      'user.accept_invitation',
      'login',
      'user.set_up_two_factor',
      'user.enable_two_factor',
      'session.end',
      'user.update',
      'settings.update',
      'repository.create',
      'login.refused',
    ])
      expect([...actions]).toContain(action);
    expect((await registry.cli('audit', 'verify')).exitCode).toBe(0);
  });
});
