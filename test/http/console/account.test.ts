// Tests the pages of a person's own account: password, two-factor authentication, sessions.

import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { runConsole, type PageReply } from '../../util/running-console.ts';

const stepMs = 30_000;

/** The lines of the block to copy. */
function blockIn({ html }: PageReply): string {
  const lines = /<pre[^>]*><code>([^]+?)<\/code>/.exec(html)?.[1]?.replaceAll(/<\/?span>/g, '');
  if (lines === undefined) throw new Error('the page has no block to copy');
  return lines;
}

describe('the account page', () => {
  it('shows the person, and the sessions with the one of this browser', async () => {
    await using console = await runConsole();
    const { browser, email } = await console.signIn('maintainer');
    const { status, text } = await browser.get('/account');
    expect([status, text]).toEqual([200, expect.stringContaining('You are signed in as maintainer.')]);
    expect(text).toContain(email);
    expect(text.match(/this browser/g)).toHaveLength(1);
    expect(text.match(/127\.0\.0\.1/g)).toHaveLength(2);
  });

  it('changes the own name, also to none, and keeps a refused one', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('viewer');
    expect((await browser.post('/account/name', { name: 'Joan' })).headers['location']).toContain(
      'notice=name-changed',
    );
    expect((await browser.get('/account')).text).toContain('Name Joan');
    expect((await browser.get('/account/name')).html).toContain('value="Joan"');
    const long = await browser.post('/account/name', { name: 'x'.repeat(300) });
    expect([long.status, long.html]).toEqual([400, expect.stringContaining('aria-invalid')]);
    await browser.post('/account/name', { name: '' });
    expect((await browser.get('/account')).text).not.toContain('Joan');
  });

  it('ends a single other session, all others, and the own one', async () => {
    await using console = await runConsole();
    const { browser, userId, email, password, token } = await console.signIn('viewer');
    const other = console.browser();
    await other.post('/sign-in', { email, password });
    const [end] = /account\/sessions\/ses_\w+\/end/.exec((await browser.get('/account')).html) ?? [];
    const question = await browser.get(`/${end}`);
    expect([question.status, question.text]).toEqual([200, expect.stringContaining('End the session from 127.0.0.1?')]);
    expect((await browser.post(`/${end}`, {})).headers['location']).toContain('notice=session-ended');
    expect((await other.get('/account')).status).toBe(303);
    expect((await console.registry.call('GET', '/api/auth/me', { as: token })).status).toBe(200);

    const others = await browser.get('/account/sessions/end-others');
    expect(others.text).toContain('1 other session will end.');
    await browser.post('/account/sessions/end-others', {});
    expect((await console.registry.call('GET', '/api/auth/me', { as: token })).status).toBe(401);
    expect((await browser.get('/account')).status).toBe(200);

    const [own] = await console.registry.people.sessions.list(userId);
    const left = await browser.post(`/account/sessions/${own?.id}/end`, {});
    expect(left.headers['location']).toContain('sign-in?notice=signed-out');
    expect(browser.cookies.size).toBe(0);
  });

  it('does not end the session of another person', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const other = await console.signIn('viewer');
    const [session] = await console.registry.people.sessions.list(other.userId);
    const reply = await browser.post(`/account/sessions/${session?.id}/end`, {});
    expect(reply.status).toBe(404);
    expect((await other.browser.get('/account')).status).toBe(200);
  });
});

describe('a change of the password', () => {
  it('begins a new session in this browser, and ends the others', async () => {
    await using console = await runConsole();
    const { browser, email, password, token } = await console.signIn('viewer');
    const before = [...browser.cookies.values()];
    const chosen = 'correct horse battery';
    const fields = { current_password: password, new_password: chosen, repeated_password: chosen };
    const reply = await browser.post('/account/password', fields);
    expect([reply.status, reply.headers['location']]).toEqual([303, '../account?notice=password-changed']);
    for (const value of browser.cookies.values()) expect(before).not.toContain(value);
    expect((await browser.get('/account?notice=password-changed')).text).toContain('Your password is changed.');
    expect((await console.registry.call('GET', '/api/auth/me', { as: token })).status).toBe(401);
    const again = console.browser();
    expect((await again.post('/sign-in', { email, password })).status).toBe(401);
    expect((await again.post('/sign-in', { email, password: chosen })).status).toBe(303);
  });

  it('names what is wrong beside its field, and shows no password', async () => {
    await using console = await runConsole();
    const { browser, password } = await console.signIn('viewer');
    const chosen = 'correct horse battery';
    const change = (current_password: string, new_password: string, repeated_password: string): Promise<PageReply> =>
      browser.post('/account/password', { current_password, new_password, repeated_password });
    const replies = [
      await change('a wrong password', chosen, chosen),
      await change(password, 'short', 'short'),
      await change(password, chosen, 'correct horse butter'),
    ];
    const faults = [
      'This is not your password.',
      'Has 5 characters; at least 12 are needed.',
      'The two passwords differ. Type both again.',
    ];
    replies.forEach(({ status, text, html }, at) => {
      expect([status, text]).toEqual([400, expect.stringContaining(faults[at] ?? '')]);
      for (const typed of [password, chosen, 'a wrong password']) expect(html).not.toContain(typed);
    });
    expect((await browser.get('/account')).status).toBe(200);
  });
});

describe('two-factor authentication', () => {
  it('is turned on with an authenticator, and shows the recovery codes once', async () => {
    let nowMs = Math.floor(Date.now() / stepMs) * stepMs;
    await using console = await runConsole({ now: () => nowMs });
    const { browser, email, password } = await console.signIn('viewer');
    for (const path of ['/account/two-factor/off', '/account/recovery-codes']) {
      const { text, html } = await browser.get(path);
      expect([text.includes('Two-factor authentication is off'), html.includes('name="code"')]).toEqual([true, false]);
    }
    expect((await browser.post('/account/two-factor', { password: 'a wrong password' })).status).toBe(400);
    const page = await browser.post('/account/two-factor', { password });
    expect(page.html).toMatch(/<svg class="qr-code"[^>]*>\s*<path d="M\d+ \d+h1v1/);
    const authenticator = new TOTP({ secret: Secret.fromBase32(blockIn(page)) });
    const wrong = await browser.post('/account/two-factor', { code: '000000' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('The code is wrong or used.')]);
    expect(wrong.html).not.toContain('qr-code');
    const code = authenticator.generate({ timestamp: nowMs });
    const codes = await browser.post('/account/two-factor', { code });
    expect(blockIn(codes).split('\n')).toHaveLength(10);
    expect(codes.headers['cache-control']).toBe('no-store');
    const account = await browser.get('/account');
    expect(account.text).toContain('10 recovery codes left.');

    nowMs += stepMs;
    const other = console.browser();
    const first = await other.post('/sign-in', { email, password });
    const proof = /name="proof" value="([^"]+)"/.exec(first.html)?.[1] ?? '';
    const recovery = blockIn(codes).split('\n')[0] ?? '';
    expect((await other.post('/sign-in', { proof, code: recovery })).status).toBe(303);
    expect((await other.get('/account')).text).toContain('9 recovery codes left.');

    expect((await other.get('/account/two-factor/off')).html).toContain('name="code"');
    const renew = { password, code: authenticator.generate({ timestamp: nowMs }) };
    const renewed = await other.post('/account/recovery-codes', renew);
    expect(blockIn(renewed)).not.toContain(recovery);
    nowMs += stepMs;
    const refused = await other.post('/account/two-factor/off', { password, code: '000000' });
    expect([refused.status, refused.html]).toEqual([400, expect.not.stringContaining(password)]);
    const off = { password, code: authenticator.generate({ timestamp: nowMs }) };
    const reply = await other.post('/account/two-factor/off', off);
    expect(reply.headers['location']).toBe('../../account?notice=two-factor-off');
    expect((await other.get('/account')).status).toBe(200);
    expect((await browser.get('/account')).status).toBe(303);
    expect((await console.browser().post('/sign-in', { email, password })).status).toBe(303);
  });
});
