// The setting localSignIn: passwords of this registry are left to named admins with a second factor. The compiled
// program serves, and its commands on the host always work.

import { writeFileSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signTerminalIn } from '../util/terminal-sign-in.ts';
import { startManagedRegistry, type ApiReply, type ManagedRegistry } from '../util/managed-registry.ts';
import { itInSeries } from '../util/series.ts';

const password = 'correct horse battery staple';
const carol = { email: 'carol@example.org', password: 'another password of carol' };
const refusal =
  'This email and password are not accepted. Passwords of this registry work only for a few named admins with a second ' +
  'factor (setting localSignIn). Everybody else signs in at Acme login.';

let registry: ManagedRegistry;
let codeOf: () => string;
let session: string;
let carolsSession: string;
let carolsTerminal: string;
let invitation: string;

const login = (body: object): Promise<ApiReply> => registry.api('POST', '/api/auth/login', body, '');
const stepMs = 30_000;

async function restart(localSignIn: unknown): Promise<void> {
  await registry.stop('SIGTERM');
  const identityProviders = [
    { id: 'acme', title: 'Acme login', issuer: 'https://login.acme.example', clientId: 'libretto', roles: {} },
  ];
  const settings = { data: registry.data, identityProviders, ...(localSignIn === undefined ? {} : { localSignIn }) };
  writeFileSync(registry.folder.at('libretto.json'), JSON.stringify(settings));
  await registry.start();
}

async function invite(email: string, role: string): Promise<string> {
  const { json } = await registry.api('POST', '/api/users', { email, role }, session);
  return String((json['invitation'] as { token: string }).token);
}

async function doctor(): Promise<readonly unknown[]> {
  const { stdout } = await registry.cli('doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: readonly { check: string }[] };
  return checks.filter(({ check }) => check === 'localSignIn');
}

beforeAll(async () => {
  registry = await startManagedRegistry({});
  ({ session } = registry);
  const setup = await registry.api('POST', '/api/auth/2fa/setup', { password });
  const authenticator = new TOTP({ secret: Secret.fromBase32(String(setup.json['secret'])) });
  let used = 0;
  // a code works once, so each call takes the next step, which is accepted early
  codeOf = () => authenticator.generate({ timestamp: Date.now() + stepMs * (used++ - 1) });
  const enabled = await registry.api('POST', '/api/auth/2fa/enable', { code: codeOf() });
  session = String(enabled.json['token']);
  const code = await invite(carol.email, 'maintainer');
  const accepted = await registry.api(
    'POST',
    '/api/auth/invitations/accept',
    { token: code, password: carol.password },
    '',
  );
  expect(accepted.status).toBe(200);
  carolsTerminal = (await signTerminalIn(registry.url(), carol)).token;
  carolsSession = String((await login(carol)).json['token']);
  invitation = await invite('bob@example.org', 'viewer');
  await restart({ only: ['Ada@example.org'] });
});
afterAll(() => registry[Symbol.asyncDispose]());

describe('passwords are left to ada, who has a second factor', () => {
  it('starts without a warning', () => {
    expect(registry.output()).not.toContain('localSignIn');
  });

  it('ends the sessions of others, and keeps those of the named admin', async () => {
    expect((await registry.api('GET', '/api/auth/me', undefined, carolsSession)).status).toBe(401);
    expect((await registry.api('GET', '/api/auth/me', undefined, session)).status).toBe(200);
  });

  it('lets the terminals of others rest too', async () => {
    expect((await registry.api('GET', '/api/auth/me', undefined, carolsTerminal)).status).toBe(401);
  });

  it('refuses the right password of another person as it refuses an unknown person and a wrong password', async () => {
    const attempts = [
      carol,
      { email: 'nobody@example.org', password },
      { email: 'ada@example.org', password: 'wrong' },
    ];
    for (const attempt of attempts) {
      const { status, json } = await login(attempt);
      expect([status, json['code'], json['error']]).toEqual([401, 'INVALID_CREDENTIALS', refusal]);
    }
  });

  it('lets the named admin in with a code, and not without', async () => {
    expect((await login({ email: 'ada@example.org', password })).json['code']).toBe('TWO_FACTOR_REQUIRED');
    expect((await login({ email: 'ADA@example.org', password, code: codeOf() })).status).toBe(200);
  });

  it('takes no invitation of another person, and invites none', async () => {
    const known = (email: string): string =>
      `${email} cannot sign in with a password here: the setting localSignIn does not name this address. They sign in ` +
      'at Acme login';
    const sentence =
      `${known('bob@example.org')} if \`linkByEmail\` of the provider opens this account. Otherwise an admin has to ` +
      'remove the account: the sign-in there makes it anew.';
    const body = { token: invitation, password: 'a password of bob here' };
    const accepted = await registry.api('POST', '/api/auth/invitations/accept', body, '');
    expect(accepted.json).toMatchObject({ code: 'INVITATION_INVALID', error: sentence });
    const draft = { email: 'dave@example.org', role: 'viewer' };
    const { status, json } = await registry.api('POST', '/api/users', draft, session);
    expect([status, json['error']]).toEqual([400, `${known('dave@example.org')}, which makes their account.`]);
  });

  itInSeries('makes accounts on the host all the same, and doctor finds that ada can sign in', async () => {
    const made = await registry.cli('user', 'create', '--email', 'erin@example.org', '--invite');
    expect([made.exitCode, made.stdout]).toEqual([0, expect.stringMatching(/^inv_\S+$/)]);
    expect(made.stderr).toContain('Warning: erin@example.org cannot sign in with a password here');
    expect(made.stderr).not.toContain('chooses a password there');
    const again = await registry.cli('user', 'update', 'ada@example.org', '--name', 'Ada');
    expect([again.exitCode, again.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
    expect(await doctor()).toEqual([
      expect.objectContaining({
        verdict: 'ok',
        message: 'ada@example.org can sign in with a password and a second factor',
      }),
    ]);
  });
});

describe('the only named admin', () => {
  it('stays able to sign in, whatever another admin or the console does', async () => {
    const { json } = await registry.api('GET', '/api/auth/me', undefined, session);
    const path = `/api/users/${String((json['user'] as { id?: string } | undefined)?.id ?? json['id'])}`;
    const admin = await registry.cli('user', 'create', '--email', 'root@example.org', '--admin', '--invite');
    expect(admin.exitCode).toBe(0);
    for (const patch of [{ reset_two_factor: true }, { role: 'viewer' }, { status: 'disabled' }]) {
      const refused = await registry.api('PATCH', path, patch, session);
      expect([refused.status, refused.json['code'], refused.json['error']]).toEqual([
        400,
        'LAST_ADMIN',
        expect.stringContaining('is the last admin of the setting localSignIn who can sign in'),
      ]);
    }
    const off = await registry.api('POST', '/api/auth/2fa/disable', { password, code: codeOf() }, session);
    expect(off.json['code']).toBe('LAST_ADMIN');
    expect((await registry.api('DELETE', path, undefined, session)).json['code']).toBe('LAST_ADMIN');
    expect((await registry.api('GET', '/api/auth/me', undefined, session)).status).toBe(200);
  });

  it('is told on the page about a forgotten password, as everybody else is', async () => {
    const page = await (await fetch(`${registry.url()}/ui/forgotten`)).text();
    expect(page).toContain('Everybody else signs in at Acme login, and changes the password there.');
  });
});

describe('nobody could sign in', () => {
  it('is said at the start and by doctor, with the reason of each person', async () => {
    expect((await registry.cli('user', 'update', 'ada@example.org', '--reset-two-factor')).exitCode).toBe(0);
    await restart({ only: ['ada@example.org', 'carol@example.org', 'frank@example.org'] });
    const reasons =
      'ada@example.org has no second factor; carol@example.org is a maintainer, and not an admin; frank@example.org has ' +
      'no account';
    await expect.poll(registry.output).toContain('Set "localSignIn" to "everybody"');
    expect(registry.output()).toContain(`Warning: No admin of the setting localSignIn could sign in: ${reasons}.`);
    expect(await doctor()).toEqual([
      expect.objectContaining({
        verdict: 'warning',
        message: `no admin of this setting could sign in: ${reasons}`,
        advice: expect.stringContaining('Set "localSignIn" to "everybody"') as string,
      }),
    ]);
    expect((await login({ email: 'ada@example.org', password })).status).toBe(401);
  });

  itInSeries('has a remedy that fits its reason', async () => {
    await restart({ only: ['carol@example.org'] });
    expect(await doctor()).toEqual([
      expect.objectContaining({
        message: 'no admin of this setting could sign in: carol@example.org is a maintainer, and not an admin',
        advice: expect.stringContaining('libretto user update carol@example.org --role admin') as string,
      }),
    ]);
  });

  itInSeries('ends with "everybody"', async () => {
    await restart('everybody');
    expect((await login({ email: 'ada@example.org', password })).status).toBe(200);
    expect((await login(carol)).status).toBe(200);
    expect(await doctor()).toEqual([]);
    expect((await registry.api('GET', '/api/auth/me', undefined, carolsTerminal)).status).toBe(200);
  });
});
