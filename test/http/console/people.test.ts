// Tests the pages about people: the list, invitations, and what an admin does about an account.

import { describe, expect, it } from 'vitest';
import { runConsole, type PageReply, type RunningConsole } from '../../util/running-console.ts';

const chosen = 'correct horse battery';

/** The link in the block to copy, below /ui. */
function linkIn({ html }: PageReply, { origin }: RunningConsole): string {
  const link = /<pre[^>]*><code>([^<]+)<\/code>/.exec(html)?.[1] ?? '';
  if (!link.startsWith(`${origin}/ui/`)) throw new Error(`the page has no link: ${link}`);
  return link.slice(`${origin}/ui`.length);
}

/** Accepts an invitation or a reset link as a person without a session. */
async function choosePassword(console: RunningConsole, link: string, password = chosen): Promise<PageReply> {
  const [path = '', query = ''] = link.split('?');
  const code = new URLSearchParams(query).get('code') ?? '';
  return console.browser().post(path, { code, password, password_again: password, repeated_password: password });
}

describe('the list of people', () => {
  it('shows email, role, state and last sign-in, and marks the visitor', async () => {
    await using console = await runConsole();
    const { browser, email } = await console.signIn('admin');
    const other = await console.registry.people
      .usersOf('cli:test')
      .create({ email: 'grace@x.example', role: 'viewer' });
    const { status, text, html } = await browser.get('/people');
    expect([status, text]).toEqual([200, expect.stringContaining('2 accounts')]);
    expect(text).toMatch(new RegExp(`${email} you admin active off just now`));
    expect(text).toContain('grace@x.example viewer invited off never');
    expect(html).toContain(`href="people/${other.record.id}"`);
  });

  it('escapes what people are called', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const name = '<img src=x onerror=alert(1)>';
    const { record } = await console.registry.people
      .usersOf('cli:test')
      .create({ email: 'grace@x.example', name, role: 'viewer' });
    for (const path of ['/people', `/people/${record.id}`]) {
      const { html, text } = await browser.get(path);
      expect(html).not.toContain('<img');
      expect(text).toContain(name);
    }
  });
});

describe('an invitation', () => {
  it('explains each role, and shows a link once with which the person signs in', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const form = await browser.get('/people/invite');
    for (const role of ['Viewer Reads', 'Maintainer Manages', 'Admin May do everything'])
      expect(form.text).toContain(role);
    const made = await browser.post('/people/invite', { email: 'grace@x.example', name: 'Grace', role: 'maintainer' });
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('shown only this once')]);
    const link = linkIn(made, console);
    const accepted = await choosePassword(console, link);
    expect([accepted.status, accepted.headers['location']]).toEqual([303, 'overview']);
    expect((await choosePassword(console, link)).status).toBeGreaterThanOrEqual(400);
    expect((await browser.get('/people')).text).toContain('grace@x.example Grace maintainer active');
  });

  it('leads to the address at which the admin reached the console, and keeps the path of publicUrl there', async () => {
    await using console = await runConsole({
      publicUrl: 'http://packages.example.org/composer',
      hosts: ['packages.example.org'],
      allowsPlainHttp: true,
    });
    const { browser } = await console.signIn('admin');
    const invite = (email: string, headers = {}): Promise<PageReply> =>
      browser.post('/people/invite', { email, name: 'Grace', role: 'viewer' }, headers);
    expect(linkIn(await invite('grace@x.example'), console)).toMatch(/^\/invitation\?code=/);
    const before = new Map(browser.cookies);
    for (const [name, value] of before) browser.cookies.set(name.replace(/\d+$/, '80'), value);
    const there = await invite('ada@x.example', { host: 'packages.example.org' });
    expect(there.html).toContain('http://packages.example.org/composer/ui/invitation?code=');
  });

  it('that is refused keeps what was typed', async () => {
    await using console = await runConsole();
    const { browser, email } = await console.signIn('admin');
    const wrong = await browser.post('/people/invite', { email: 'nobody', name: 'Grace', role: 'admin' });
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringContaining('Must be an address such as ada@example.org'),
    ]);
    expect(wrong.html).toContain('value="Grace"');
    expect(wrong.html).toMatch(/value="admin" checked/);
    expect((await browser.post('/people/invite', { email, role: 'root' })).text).toContain('Choose one of the roles.');
    const taken = await browser.post('/people/invite', { email, role: 'viewer' });
    expect([taken.status, taken.text]).toEqual([400, expect.stringContaining('already exists')]);
  });
});

describe('what an admin does about an account', () => {
  it('changes the role from the next request on', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const other = await console.signIn('viewer');
    expect((await other.browser.get('/people')).status).toBe(403);
    const reply = await browser.post(`/people/${other.userId}/role`, { role: 'admin' });
    expect([reply.status, reply.headers['location']]).toEqual([303, `../../people/${other.userId}?notice=role`]);
    expect((await browser.get(`/people/${other.userId}?notice=role`)).text).toContain('The role is changed.');
    expect((await other.browser.get('/people')).status).toBe(200);
  });

  it('disables and enables the account: sessions end at once, and do not come back', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const { userId, email, password, ...other } = await console.signIn('viewer');
    const question = await browser.get(`/people/${userId}/disable`);
    expect([question.status, question.text]).toEqual([200, expect.stringContaining(`Disable ${email}?`)]);
    await browser.post(`/people/${userId}/disable`, {});
    expect((await other.browser.get('/account')).status).toBe(303);
    expect((await console.browser().post('/sign-in', { email, password })).status).toBe(401);
    await browser.post(`/people/${userId}/enable`, {});
    expect((await other.browser.get('/account')).status).toBe(303);
    expect((await console.browser().post('/sign-in', { email, password })).status).toBe(303);
  });

  it('makes a reset link: the password works until the link is used', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const { userId, email, password } = await console.signIn('viewer');
    const link = linkIn(await browser.post(`/people/${userId}/reset-link`, {}), console);
    expect((await console.browser().post('/sign-in', { email, password })).status).toBe(303);
    expect((await choosePassword(console, link)).status).toBe(303);
    expect((await console.browser().post('/sign-in', { email, password })).status).toBe(401);
    expect((await console.browser().post('/sign-in', { email, password: chosen })).status).toBe(303);
  });

  it('lists the sessions, and ends one of them', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const other = await console.signIn('viewer');
    const [session] = await console.registry.people.sessions.list(other.userId);
    const page = await browser.get(`/people/${other.userId}`);
    expect(page.html).toContain(`people/${other.userId}/sessions/${session?.id}/end`);
    const reply = await browser.post(`/people/${other.userId}/sessions/${session?.id}/end`, {});
    expect(reply.headers['location']).toContain('notice=session-ended');
    const ids = (await console.registry.people.sessions.list(other.userId)).map(({ id }) => id);
    expect(ids).not.toContain(session?.id);
    const again = await browser.post(`/people/${other.userId}/sessions/${session?.id}/end`, {});
    expect(again.status).toBe(404);
  });

  it('deletes the account', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const other = await console.signIn('maintainer');
    const reply = await browser.post(`/people/${other.userId}/delete`, {});
    expect([reply.status, reply.headers['location']]).toEqual([303, '../../people?notice=deleted']);
    expect((await browser.get(`/people/${other.userId}`)).status).toBe(404);
    expect((await other.browser.get('/account')).status).toBe(303);
  });

  it('leaves the only active admin an admin, and says so', async () => {
    await using console = await runConsole();
    const { browser, userId } = await console.signIn('admin');
    const page = await browser.get(`/people/${userId}`);
    expect(page.text).toContain('This is the only active admin');
    expect(page.html).not.toContain(`${userId}/delete`);
    for (const [action, fields] of [
      ['role', { role: 'viewer' }],
      ['disable', {}],
      ['delete', {}],
    ] as const) {
      const reply = await browser.post(`/people/${userId}/${action}`, fields);
      expect([action, reply.status, reply.text]).toEqual([
        action,
        400,
        expect.stringContaining('the only active admin'),
      ]);
    }
    expect((await browser.get('/people')).status).toBe(200);
  });

  it('asks for the password again after five minutes', async () => {
    let now = Date.parse('2026-11-20T08:00:00Z');
    await using console = await runConsole({ now: () => now });
    const { browser, password } = await console.signIn('admin');
    const other = await console.signIn('viewer');
    now += 6 * 60_000;
    browser.cookies.delete([...browser.cookies.keys()].find((name) => name.includes('confirmed')) ?? '');
    expect((await browser.get(`/people/${other.userId}/delete`)).text).toContain('Your password');
    const without = await browser.post(`/people/${other.userId}/delete`, {});
    expect([without.status, without.text]).toEqual([400, expect.stringContaining('Enter your password')]);
    expect((await browser.get(`/people/${other.userId}`)).status).toBe(200);
    const done = await browser.post(`/people/${other.userId}/delete`, { current_password: password });
    expect(done.status).toBe(303);
  });
});
