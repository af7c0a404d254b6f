// Tests the device flow step by step over HTTP: a terminal asks, a person approves in the console, and the terminal
// gets their token once.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deviceGrant, deviceTerminal, type DeviceTerminal, type Waiting } from '../../util/device-terminal.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

const secondMs = 1000;
let nowMs = Date.parse('2026-11-21T09:00:00Z');
let console: RunningConsole;
let terminal: DeviceTerminal;
let browser: TestBrowser;
let person: { readonly userId: string; readonly email: string; readonly password: string };

beforeAll(async () => {
  console = await runConsole({ now: () => nowMs, trustedProxies: ['127.0.0.0/8'], allowsPlainHttp: true });
  terminal = deviceTerminal(console);
});
afterAll(() => console[Symbol.asyncDispose]());
beforeEach(async () => {
  nowMs += 2 * 3600 * secondMs;
  ({ browser, ...person } = await console.signIn('maintainer'));
});

const approve = ({ userCode }: Waiting, visitor = browser) => visitor.post('/device/approve', { code: userCode });
const call = async (token: string, path = '/api/auth/me'): Promise<number> =>
  (await console.registry.call('GET', path, { as: token })).status;

describe('the flow', () => {
  it('gives the terminal a token of the person who approved it', async () => {
    const waiting = await terminal.begin({ machine: 'ada-laptop', days: '7' });
    expect(waiting.userCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(new URL(waiting.page).pathname).toBe('/ui/device');
    expect(await terminal.ask(waiting)).toBe('authorization_pending');

    const entered = await browser.post('/device', { code: waiting.userCode.toLowerCase().replace('-', ' ') });
    expect([entered.status, entered.headers['location']]).toEqual([303, `device?code=${waiting.userCode}`]);
    const question = await browser.get(`/device?code=${waiting.userCode.toLowerCase().replace('-', '')}`);
    expect(question.text).toContain(`Code ${waiting.userCode} `);
    expect(question.text).toContain('ada-laptop, as it says of itself');
    expect(question.text).toContain('127.0.0.1');
    expect(question.text).toContain(`acts as ${person.email}, with the role maintainer`);
    expect((await approve(waiting)).text).toContain('The terminal is approved');

    nowMs += 5 * secondMs;
    const reply = await terminal.send('/api/oauth/token', {
      grant_type: deviceGrant,
      device_code: waiting.deviceCode,
      client_id: 'libretto-cli',
    });
    expect(reply.headers['cache-control']).toContain('no-store');
    const { access_token: token, ...rest } = reply.json();
    expect(rest).toEqual({
      token_type: 'Bearer',
      expires_in: 7 * 86_400,
      expires_at: new Date(nowMs + 7 * 86_400 * secondMs).toISOString(),
      token_id: expect.stringMatching(/^tok_/),
      email: person.email,
      role: 'maintainer',
      rights: expect.stringMatching(
        /^It can read all packages, publish packages, register repositories and sync them\./,
      ),
    });
    expect(await call(String(token))).toBe(200);
    nowMs += 7 * 86_400 * secondMs;
    expect(await call(String(token))).toBe(401);
  });

  it('says what the token can do, by role', async () => {
    const { userCode } = await terminal.begin();
    const said = async (visitor: TestBrowser) => (await visitor.get(`/device?code=${userCode}`)).text;
    const not = 'It cannot change or remove what is there, settings, people, tokens or second factors';
    const [viewer, admin] = [await console.signIn('viewer'), await console.signIn('admin')];
    expect(await said(viewer.browser)).toContain(`with the role viewer. It can read all packages. ${not}`);
    expect(await said(browser)).toContain(
      'It can read all packages, publish packages, register repositories and sync them. What it publishes or registers ' +
        `stays when the token ends. ${not}`,
    );
    expect(await said(admin.browser)).toContain('sync them, list people and tokens and read the audit log.');
  });

  it('comes back to the question after a detour, with the code', async () => {
    const { userCode } = await terminal.begin();
    const { headers, status } = await browser.get(`/device/approve?code=${userCode}`);
    expect([status, headers['location']]).toEqual([303, `../device?code=${userCode}`]);
    expect((await browser.get(`/device?code=${userCode}`)).html).toContain(`action="device/approve?code=${userCode}"`);
  });

  it('a link with the code still asks', async () => {
    const waiting = await terminal.begin();
    const page = await browser.get(`/device?code=${waiting.userCode}`);
    expect(page.text).toContain('Sign in this terminal?');
    expect(await terminal.ask(waiting)).toBe('authorization_pending');
  });

  it('nobody can approve without signing in, and a stranger’s page cannot post the approval', async () => {
    const waiting = await terminal.begin();
    const stranger = await console.browser().get(`/device?code=${waiting.userCode}`);
    expect([stranger.status, stranger.headers['location']]).toEqual([303, expect.stringContaining('sign-in?next=')]);
    await browser.post('/device/approve', { code: waiting.userCode }, { 'sec-fetch-site': 'cross-site' });
    expect(await terminal.ask(waiting)).toBe('authorization_pending');
  });

  it('approving asks for the password after five minutes, and denying does not', async () => {
    const [first, second] = [await terminal.begin(), await terminal.begin()];
    nowMs += 6 * 60 * secondMs;
    expect((await approve(first)).text).toContain('Enter your password');
    expect(await terminal.ask(first)).toBe('authorization_pending');
    const { password } = person;
    await browser.post('/device/approve', { code: first.userCode, current_password: password });
    expect(await terminal.ask(first)).toBe('token');
    nowMs += 3 * 60 * secondMs;
    await browser.post('/device/deny', { code: second.userCode });
    expect(await terminal.ask(second)).toBe('access_denied');
  });
});

describe('a code', () => {
  it('expires after ten minutes, also an approved one', async () => {
    const [waiting, approved] = [await terminal.begin(), await terminal.begin()];
    await approve(approved);
    nowMs += 600 * secondMs;
    expect(await terminal.ask(waiting)).toBe('expired_token');
    expect(await terminal.ask(approved)).toBe('expired_token');
    expect((await browser.post('/device', { code: waiting.userCode })).text).toContain('No terminal waits');
  });

  it('works once', async () => {
    const waiting = await terminal.begin();
    await approve(waiting);
    const answers = await Promise.all([1, 2, 3, 4].map(() => terminal.ask(waiting)));
    expect(answers.toSorted()).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant', 'token']);
    expect((await approve(waiting)).text).toContain('No terminal waits');
  });

  it('is decided once', async () => {
    const waiting = await terminal.begin();
    await browser.post('/device/deny', { code: waiting.userCode });
    expect((await approve(waiting)).text).toContain('No terminal waits');
    expect(await terminal.ask(waiting)).toBe('access_denied');
  });

  it('belongs to its client', async () => {
    const { deviceCode: device_code } = await terminal.begin();
    const error = async (fields: Readonly<Record<string, string>>): Promise<unknown> =>
      (await terminal.send('/api/oauth/token', fields)).json()['error'];
    const grant_type = deviceGrant;
    expect(await error({ grant_type, device_code, client_id: 'another' })).toBe('invalid_client');
    expect(await error({ grant_type, device_code })).toBe('invalid_client');
    expect(await error({ grant_type, device_code: 'dev_unknown', client_id: 'libretto-cli' })).toBe('invalid_grant');
    expect(await error({ grant_type, client_id: 'libretto-cli' })).toBe('invalid_request');
    expect(await error({ grant_type: 'password', device_code })).toBe('unsupported_grant_type');
    const begin = await terminal.send('/api/oauth/device_authorization', { client_id: 'another' });
    expect([begin.status, begin.json()['error']]).toEqual([400, 'invalid_client']);
  });

  it('slows a terminal down that asks too often', async () => {
    const waiting = await terminal.begin();
    expect(await terminal.ask(waiting)).toBe('authorization_pending');
    expect(await terminal.ask(waiting)).toBe('slow_down');
    nowMs += 5 * secondMs;
    expect(await terminal.ask(waiting)).toBe('slow_down'); // it had to wait ten seconds
    nowMs += 15 * secondMs;
    expect(await terminal.ask(waiting)).toBe('authorization_pending');
  });

  it('can be guessed only a few times, by person and by network', async () => {
    const waiting = await terminal.begin();
    const guess = async (visitor = browser) => (await visitor.post('/device', { code: 'AAAA-AAAA' })).status;
    for (let count = 0; count < 10; count += 1) expect(await guess()).toBe(404);
    expect(await guess()).toBe(429);
    expect((await approve(waiting)).status).toBe(429);
    expect((await browser.get(`/device?code=${waiting.userCode}`)).status).toBe(429);
    const { browser: other } = await console.signIn('viewer');
    expect((await approve(waiting, other)).status).toBe(200);
  });
});

it('a network gets codes only so fast, and other networks still do', async () => {
  const begin = async (from: string) =>
    (await terminal.send('/api/oauth/device_authorization', { client_id: 'libretto-cli' }, from)).status;
  for (let count = 0; count < 60; count += 1) expect(await begin('198.51.100.7')).toBe(200);
  expect(await begin('198.51.100.7')).toBe(429);
  expect(await begin('203.0.113.7')).toBe(200);
});

it('a person who was disabled after approving gives no token, also once they are active again', async () => {
  const waiting = await terminal.begin();
  await approve(waiting);
  const admin = await console.registry.signIn('admin');
  const body = { status: 'disabled' };
  await console.registry.call('PATCH', `/api/users/${person.userId}`, { as: admin.token, body });
  expect(await terminal.ask(waiting)).toBe('invalid_grant');
  const again = { status: 'active' };
  await console.registry.call('PATCH', `/api/users/${person.userId}`, { as: admin.token, body: again });
  expect(await terminal.ask(waiting)).toBe('invalid_grant');
});

it('the account lists the terminals, and signs one out', async () => {
  const waiting = await terminal.begin({ machine: 'ada-laptop' });
  await approve(waiting);
  const { token, id } = await terminal.redeem(waiting);
  expect(await call(token)).toBe(200);
  const list = await console.registry.call('GET', '/api/auth/tokens', { as: token });
  expect(list.json()['data']).toMatchObject([{ id, description: 'libretto login on ada-laptop', current: true }]);
  const page = await browser.get('/account');
  expect(page.text).toContain('libretto login on ada-laptop');
  const { browser: other } = await console.signIn('admin');
  expect((await other.post(`/account/tokens/${id}/end`, {})).status).toBe(404);
  expect(await call(token)).toBe(200);
  expect((await browser.get(`/account/tokens/${id}/end`)).text).toContain('libretto login on ada-laptop');
  expect((await browser.post(`/account/tokens/${id}/end`, {})).status).toBe(303);
  expect(await call(token)).toBe(401);
});

it('a terminal ends its own token over the API, and no other person’s', async () => {
  const waiting = await terminal.begin();
  await approve(waiting);
  const { token, id } = await terminal.redeem(waiting);
  const other = await console.registry.signIn('admin');
  const end = async (as: string) => (await console.registry.call('DELETE', `/api/auth/tokens/${id}`, { as })).status;
  expect([await end(other.token), await end(token), await call(token)]).toEqual([404, 200, 401]);
});

it('the audit log tells who approved and which token was made', async () => {
  const waiting = await terminal.begin({ machine: 'ada-laptop' });
  await approve(waiting);
  const { id } = await terminal.redeem(waiting);
  const admin = await console.registry.signIn('admin');
  const audit = await console.registry.call('GET', '/api/audit?limit=5', { as: admin.token });
  const who = `user:${person.userId}`;
  expect(audit.json()['data']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'terminal.approve', actor: who, subject: person.userId }),
      expect.objectContaining({ action: 'token.create', actor: who, subject: id }),
    ]),
  );
});
