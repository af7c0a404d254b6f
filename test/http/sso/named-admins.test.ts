// Sign-in at a provider while passwords are left to named admins (localSignIn): no provider takes their role, and
// refused people read only advice that works.

import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEmail, type Email } from '../../../proxy/auth/email.ts';
import { createPasswords } from '../../../proxy/auth/password.ts';
import { createUsers, type Users } from '../../../proxy/auth/users.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { PageReply } from '../../util/running-console.ts';
import { runSsoConsole, type SsoConsole } from '../../util/sso-console.ts';

const password = 'correct horse battery';
const localSignIn = { only: [parseEmail('ada@example.org') as Email], providers: ['Acme login'] };

let run: SsoConsole;
let linking: SsoConsole;
beforeAll(async () => {
  run = await runSsoConsole({}, { localSignIn });
  linking = await runSsoConsole({ linkByEmail: true }, { localSignIn });
  for (const one of [run, linking]) {
    await withTwoFactors(one, 'ada@example.org');
    await signIn(one, 'root', { email: 'root@example.org', groups: ['ops'] });
    // made on the host, where the setting does not count
    await hostUsers(one).create({ email: 'carl@example.org', role: 'viewer', password });
  }
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await linking[Symbol.asyncDispose]();
});

const usersOf = ({ console }: SsoConsole) => console.registry.people.usersOf('cli:test');

function hostUsers({ console: { registry } }: SsoConsole): Users {
  const { state, people } = registry;
  const parts = { now: Date.now, randomBytes, actor: 'cli:test' as const, rules: people.rules };
  const passwords = createPasswords({ randomBytes, cost: { cost: 16, blockSize: 1, parallelization: 1 } });
  const store = createAuditedStore({ store: state, now: Date.now });
  return createUsers({ ...parts, passwords, store, sessions: people.sessions });
}

async function withTwoFactors(one: SsoConsole, email: string): Promise<void> {
  const { record } = await usersOf(one).create({ email, role: 'admin', password });
  const account = one.console.registry.people.account(record.id, '127.0.0.1');
  const { secret } = await account.setUpTwoFactor(password);
  await account.enableTwoFactor(new TOTP({ secret: Secret.fromBase32(secret.reveal()) }).generate());
}

async function signIn(one: SsoConsole, sub: string, claims: JsonObject): Promise<PageReply> {
  one.provider.people.set(sub, { sub, claims });
  return (await one.person()).signIn(sub);
}

describe('a named admin', () => {
  const ada = { email: 'ada@example.org', email_verified: true };

  it('is not linked by a sign-in that would make them a viewer, and learns what to do', async () => {
    const reply = await signIn(linking, 'ada', { ...ada, groups: ['everyone'] });
    expect([reply.status, reply.text]).toEqual([
      403,
      expect.stringContaining('the setting localSignIn names you as an admin of this registry'),
    ]);
    expect(await usersOf(linking).get('ada@example.org')).not.toHaveProperty('identities');
  });

  it('enters as an admin, and stays one whatever the groups give later', async () => {
    expect((await signIn(linking, 'ada', { ...ada, groups: ['ops'] })).status).toBe(303);
    expect((await signIn(linking, 'ada', { ...ada, groups: ['everyone'] })).status).toBe(403);
    expect((await usersOf(linking).get('ada@example.org')).role).toBe('admin');
    const rows = await linking.console.registry.state.range('audit/event/', { reverse: true });
    expect(rows[0]?.value).toMatchObject({
      action: 'login.refused',
      details: { reason: 'named admin', role: 'viewer', sub: 'ada', email: 'ada@example.org' },
    });
  });
});

describe('a person whose account has a password that opens nothing', () => {
  const carl = { email: 'carl@example.org', groups: ['everyone'] };

  it.each([
    ['does not link', () => run, 'does not open it for Acme login. Ask an admin of the registry: linkByEmail'],
    ['did not check the address', () => linking, 'Confirm the address at Acme login. If you cannot, ask an admin'],
  ])('is not sent to the password by a provider that %s', async (_, one, words) => {
    const reply = await signIn(one(), 'carl', carl);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(words)]);
    expect(reply.text).not.toContain('with the password of that account');
    expect(reply.text).toContain('to remove that account: your next sign-in makes it anew.');
  });

  it('gets no reset link on the console, which says why', async () => {
    const root = await run.person();
    await root.signIn('root');
    const { id } = await usersOf(run).get('carl@example.org');
    expect((await root.browser.get(`/people/${id}`)).text).not.toContain('Create a reset link');
    const page = await root.browser.get(`/people/${id}/reset-link`);
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('carl@example.org cannot sign in with a password here'),
    ]);
    expect(page.html).not.toContain('Create link');
  });
});
