// Tests the pages for people who are not signed in: sign-in in one and two steps, setup, invitation, help.

import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { runConsole, type PageReply, type RunningConsole } from '../../util/running-console.ts';
import type { SignedIn } from '../../util/running-management.ts';

const stepMs = 30_000;
const address = '127.0.0.1';

/** Turns on two-factor authentication through the services. Returns the code of a moment. */
async function turnOnTwoFactor(
  { registry: { people } }: RunningConsole,
  { userId, password }: SignedIn,
  nowMs: number,
): Promise<(atMs: number) => string> {
  const account = people.account(userId, address);
  const { secret } = await account.setUpTwoFactor(password);
  const authenticator = new TOTP({ secret: Secret.fromBase32(secret.reveal()) });
  await account.enableTwoFactor(authenticator.generate({ timestamp: nowMs }));
  return (atMs) => authenticator.generate({ timestamp: atMs });
}

/** The hidden field that stands for the password in the second step. */
function proofIn(html: string): string {
  const proof = /name="proof" value="([^"]+)"/.exec(html)?.[1];
  if (proof === undefined) throw new Error('the page has no proof');
  return proof;
}

describe('signing in', () => {
  it('leads a visitor from a page to the form, and back to the page', async () => {
    await using console = await runConsole();
    const { email, password } = await console.registry.signIn('viewer');
    const browser = console.browser();
    const asked = await browser.get('/account?tab=1');
    expect([asked.status, asked.headers['location']]).toEqual([303, 'sign-in?next=%2Faccount%3Ftab%3D1']);
    expect((await browser.get('/sign-in')).text).toContain('Forgotten your password?');
    const signedIn = await browser.post('/sign-in?next=%2Faccount%3Ftab%3D1', { email, password });
    expect([signedIn.status, signedIn.headers['location']]).toEqual([303, 'account?tab=1']);
    expect((await browser.get('/account')).text).toContain(email);
    expect((await browser.get('/sign-in')).headers['location']).toBe('overview');
  });

  it('answers a wrong password and an unknown person alike, and keeps the email', async () => {
    await using console = await runConsole();
    const { email } = await console.registry.signIn('viewer');
    const browser = console.browser();
    const wrong = await browser.post('/sign-in', { email, password: 'not the password' });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain('The email or the password is wrong.');
    expect(wrong.html).toContain(`value="${email}"`);
    expect(wrong.html).not.toContain('not the password');
    const nobody = await browser.post('/sign-in', { email: 'nobody@example.org', password: 'not the password' });
    const shown = [email, encodeURIComponent(email)].reduce(
      (html, one) => html.replaceAll(one, 'nobody@example.org'),
      wrong.html,
    );
    expect([nobody.status, nobody.html.replaceAll('nobody%40example.org', 'nobody@example.org')]).toEqual([401, shown]);
    expect(browser.cookies.size).toBe(0);
  });

  it('says how long to wait after too many attempts', async () => {
    const nowMs = Date.now(); // the clock stands still, so that the wait does not pass
    await using console = await runConsole({ now: () => nowMs });
    const { email, password } = await console.registry.signIn('viewer');
    const browser = console.browser();
    for (let at = 0; at < 5; at += 1) await browser.post('/sign-in', { email, password: `wrong password ${at}` });
    const refused = await browser.post('/sign-in', { email, password });
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many attempts. Try again in 1 second.');
    expect(refused.headers['retry-after']).toBe('1');
  });

  it('says a long wait in minutes', async () => {
    let nowMs = Date.now();
    await using console = await runConsole({ now: () => nowMs });
    const { email } = await console.registry.signIn('viewer');
    const attempt = () => console.browser().post('/sign-in', { email, password: 'a wrong password' });
    const waitOf = ({ headers }: PageReply): number => Number(headers['retry-after'] ?? 0);
    let refused = await attempt();
    for (let at = 0; at < 40 && waitOf(refused) < 120; at += 1) {
      nowMs += waitOf(refused) * 1000;
      refused = await attempt();
    }
    const wait = waitOf(refused);
    expect([refused.status, wait]).toEqual([429, expect.toSatisfy((seconds: number) => seconds >= 120)]);
    expect(refused.text).toContain(`Try again in ${Math.ceil(wait / 60)} minutes.`);
  });

  it('ends the session when the person signs out', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('viewer');
    const before = new Map(browser.cookies);
    expect((await browser.get('/sign-out')).text).toContain('Sign out?');
    const reply = await browser.post('/sign-out', {});
    expect(reply.headers['location']).toBe('sign-in?notice=signed-out');
    expect(browser.cookies.size).toBe(0);
    expect((await browser.get('/sign-in?notice=signed-out')).text).toContain('You are signed out.');
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect((await browser.get('/account')).headers['location']).toContain('sign-in?next=');
  });
});

describe('signing in with two-factor authentication', () => {
  it('asks for the code in a second step, and the page never holds the password', async () => {
    let nowMs = Math.floor(Date.now() / stepMs) * stepMs;
    await using console = await runConsole({ now: () => nowMs });
    const person = await console.registry.signIn('maintainer');
    const codeAt = await turnOnTwoFactor(console, person, nowMs);
    nowMs += stepMs;
    const browser = console.browser();
    const { email, password } = person;
    const first = await browser.post('/sign-in', { email, password });
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('Enter the code')]);
    expect(first.html).not.toContain(password);
    expect(browser.cookies.size).toBe(0);
    const wrong = await browser.post('/sign-in', { proof: proofIn(first.html), code: '000000' });
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining('The code is wrong or used.')]);
    const code = codeAt(nowMs);
    const second = await browser.post('/sign-in', { proof: proofIn(wrong.html), code });
    expect([second.status, second.headers['location']]).toEqual([303, 'overview']);
    expect((await browser.get('/account')).text).toContain(email);
    const again = await console.browser().post('/sign-in', { proof: proofIn(first.html), code });
    expect(again.status).toBe(401);
  });

  it('asks for the password again after five minutes, and after a change of the password', async () => {
    let nowMs = Math.floor(Date.now() / stepMs) * stepMs;
    await using console = await runConsole({ now: () => nowMs });
    const person = await console.registry.signIn('maintainer');
    const codeAt = await turnOnTwoFactor(console, person, nowMs);
    const browser = console.browser();
    const { email, password, userId } = person;
    const late = proofIn((await browser.post('/sign-in', { email, password })).html);
    nowMs += 331_000;
    const refused = await browser.post('/sign-in', { proof: late, code: codeAt(nowMs) });
    expect(refused.text).toContain('Enter your password again.');
    const early = proofIn((await browser.post('/sign-in', { email, password })).html);
    const chosen = 'correct horse battery';
    await console.registry.people.account(userId, address).changePassword({ current: password, chosen });
    expect((await browser.post('/sign-in', { proof: early, code: codeAt(nowMs) })).text).toContain('Sign in');
    expect(browser.cookies.size).toBe(0);
  });

  it('takes no session, and no proof of another kind, for the proof of the password', async () => {
    const nowMs = Math.floor(Date.now() / stepMs) * stepMs;
    await using console = await runConsole({ now: () => nowMs });
    const person = await console.registry.signIn('maintainer');
    const codeAt = await turnOnTwoFactor(console, person, nowMs - stepMs);
    const other = await console.signIn('maintainer');
    const proofs = [other.token, ...other.browser.cookies.values()];
    expect(proofs.length).toBe(3);
    for (const proof of proofs) {
      const browser = console.browser();
      expect((await browser.post('/sign-in', { proof, code: codeAt(nowMs) })).status).toBe(200);
      expect(browser.cookies.size).toBe(0);
    }
    const { email, password } = person;
    const proof = proofIn((await console.browser().post('/sign-in', { email, password })).html);
    expect((await console.registry.call('GET', '/api/auth/me', { as: proof })).status).toBe(401);
  });
});

describe('the first admin', () => {
  it('is created with the code of the server, is signed in, and the page is gone', async () => {
    await using console = await runConsole();
    const code = (await console.registry.people.offerSetup())?.reveal() ?? '';
    const browser = console.browser();
    const nobody = await browser.get('/sign-in');
    expect(nobody.text).toMatch(/Nobody has an account yet\..*Restart the server.*libretto user create --admin/);
    const page = await browser.get(`/setup?code=${code}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('At least 12 characters.')]);
    const password = 'correct horse battery';
    const fields = { email: 'ada@example.org', name: 'Ada', password, repeated_password: password };
    const done = await browser.post(`/setup?code=${code}`, fields);
    expect([done.status, done.headers['location']]).toEqual([303, 'overview']);
    expect((await browser.get('/account')).text).toContain('You are signed in as admin.');
    for (const reply of [
      await browser.get(`/setup?code=${code}`),
      await console.browser().post(`/setup?code=${code}`, fields),
    ])
      expect([reply.status, reply.text]).toEqual([404, expect.stringContaining('Accounts exist')]);
  });

  it('is refused with a wrong code, a short password or another repetition, and keeps what was typed', async () => {
    await using console = await runConsole();
    const code = (await console.registry.people.offerSetup())?.reveal() ?? '';
    const browser = console.browser();
    const password = 'correct horse battery';
    const fields = { email: 'ada@example.org', name: 'Ada', password, repeated_password: password };
    const link = await browser.get('/setup?code=set_wrong');
    expect([link.status, link.text]).toEqual([404, expect.stringMatching(/no longer valid.*Restart the server/)]);
    expect(link.html).not.toContain('name="password"');
    const wrong = await browser.post('/setup', { ...fields, code: 'set_wrong' });
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining('The setup code is wrong')]);
    const short = await browser.post(`/setup?code=${code}`, {
      ...fields,
      password: 'short',
      repeated_password: 'short',
    });
    expect(short.text).toContain('Has 5 characters; at least 12 are needed.');
    const other = await browser.post(`/setup?code=${code}`, { ...fields, repeated_password: 'correct horse butter' });
    expect(other.text).toContain('The two passwords differ.');
    for (const { html } of [wrong, short, other]) {
      expect(html).toContain('value="ada@example.org"');
      expect(html).not.toContain('correct horse');
    }
    expect(browser.cookies.size).toBe(0);
  });
});

describe('an invitation', () => {
  it('lets a person choose a password, once, and signs them in', async () => {
    await using console = await runConsole();
    const { people } = console.registry;
    const { invitation } = await people.usersOf('cli:test').create({ email: 'bob@example.org', role: 'viewer' });
    const path = `/invitation?code=${invitation?.code.reveal()}`;
    const browser = console.browser();
    expect((await browser.get(path)).text).toContain('Choose a password');
    const password = 'correct horse battery';
    const done = await browser.post(path, { name: 'Bob Miller', password, repeated_password: password });
    expect([done.status, done.headers['location']]).toEqual([303, 'overview']);
    expect((await browser.get('/account')).text).toMatch(/Bob Miller.*bob@example\.org|bob@example\.org.*Bob Miller/);
    const used = expect.stringContaining('This link is no longer valid') as string;
    const again = await console.browser().post(path, { password, repeated_password: password });
    expect([again.status, again.text]).toEqual([400, used]);
    const opened = await console.browser().get(path);
    expect([opened.status, opened.text]).toEqual([404, used]);
  });

  it('as a reset link leads a person with two-factor authentication to the sign-in, with the email', async () => {
    const nowMs = Math.floor(Date.now() / stepMs) * stepMs;
    await using console = await runConsole({ now: () => nowMs });
    const person = await console.registry.signIn('maintainer');
    await turnOnTwoFactor(console, person, nowMs);
    const { invitation } = await console.registry.people.usersOf('cli:test').update(person.userId, { invite: true });
    const browser = console.browser();
    const password = 'correct horse battery';
    const fields = { code: invitation?.code.reveal() ?? '', password, repeated_password: password };
    const done = await browser.post('/invitation', fields);
    const target = `sign-in?email=${encodeURIComponent(person.email)}&notice=password-chosen`;
    expect([done.status, done.headers['location']]).toEqual([303, target]);
    expect(browser.cookies.size).toBe(0);
    const page = await browser.get(`/${target}`);
    expect(page.text).toContain('Your password is saved. Sign in with it.');
    expect(page.html).toContain(`value="${person.email}"`);
  });
});

it('the help page names the way for people and for a locked-out admin', async () => {
  await using console = await runConsole();
  const { status, text } = await console.browser().get('/forgotten');
  expect([status, text]).toEqual([200, expect.stringContaining('Ask an admin of this registry for a reset link.')]);
  expect(text).toContain('libretto user update EMAIL --invite');
});
