// A person without a password confirms what is dangerous by signing in at the provider again: as the same person, and
// with the password entered there after the question.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageReply } from '../../util/running-console.ts';
import { runSsoConsole, type SsoConsole, type SsoPerson } from '../../util/sso-console.ts';

const form = '/settings/people-and-sessions';

let run: SsoConsole;
let ada: SsoPerson;
beforeAll(async () => {
  run = await runSsoConsole();
  const { people } = run.provider;
  people.set('ada', { sub: 'ada', claims: { email: 'ada@example.org', groups: ['ops'] } });
  people.set('eve', { sub: 'eve', claims: { email: 'eve@example.org', groups: ['ops'] } });
  ada = await run.person();
  await ada.signIn('ada');
});
afterAll(() => run[Symbol.asyncDispose]());

/** Presses the button of the form. Returns the address at the provider. */
async function askToConfirm(person: SsoPerson): Promise<URL> {
  const page = await person.browser.post(`/sso/acme/confirm?next=${encodeURIComponent(form)}`, {
    'sessions.lifetime': '3600',
  });
  const address = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page.html)?.[1] ?? '';
  return new URL(address.replaceAll('&amp;', '&'));
}

async function confirmAs(login: string): Promise<PageReply> {
  return ada.arrive(await ada.visitor.signInAt((await askToConfirm(ada)).href, login));
}

/** Five minutes later, at a provider that knows nobody. */
const forget = (): void => {
  ada.visitor.cookies.clear();
  for (const name of ada.browser.cookies.keys()) if (name.includes('confirmed')) ada.browser.cookies.delete(name);
};

describe('confirming at the provider', () => {
  it('is what the form asks for, instead of a password', async () => {
    const page = await ada.browser.get(form);
    expect(page.text).toContain('Confirm at Acme login');
    expect(page.html).not.toContain('name="current_password"');
    expect(page.html).toContain('formaction="../sso/acme/confirm?next=%2Fsettings%2Fpeople-and-sessions"');
    const refused = await ada.browser.post(form, { 'sessions.lifetime': '3600' });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Nothing was done. Confirm at Acme login first'),
    ]);
  });

  it('asks for the password there, also if a session runs there, and opens the form', async () => {
    const address = await askToConfirm(ada);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      prompt: 'login',
      max_age: '0',
      login_hint: 'ada@example.org',
    });
    const reply = await ada.arrive(await ada.visitor.signInAt(address.href, 'ada'));
    expect(ada.visitor.wasAsked()).toBe(true);
    expect([reply.status, reply.headers['location']], reply.text).toEqual([303, '../../settings/people-and-sessions']);
    expect((await ada.browser.get(form)).text).not.toContain('Confirm at Acme login');
    expect((await ada.browser.post(form, { 'sessions.lifetime': '3600' })).status).toBe(303);
  });

  it('refuses another person, and the audit log names whose account it was', async () => {
    forget();
    const reply = await confirmAs('eve');
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('Somebody else signed in there.')]);
    expect((await ada.browser.post(form, { 'sessions.lifetime': '3600' })).status).toBe(400);
    expect((await ada.browser.get('/account')).text).toContain('ada@example.org');
  });

  it('refuses a sign-in before the question, and an ID token without auth_time', async () => {
    forget();
    const before = Math.floor(Date.now() / 1000) - 900;
    for (const [auth_time, words] of [
      [before, 'You did not enter your password there again.'],
      [undefined, 'does not say when you entered your password (claim auth_time)'],
    ] as const) {
      forget();
      run.provider.change({ idToken: (claims) => ({ ...claims, auth_time }) });
      const reply = await confirmAs('ada');
      expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(words)]);
    }
    run.provider.change(undefined);
    expect((await ada.browser.post(form, { 'sessions.lifetime': '3600' })).status).toBe(400);
  });

  it('refuses a password from the time before the question, and one from the future', async () => {
    for (const [seconds, words] of [
      [-120, 'You did not enter your password there again.'],
      [3600, 'in the future'],
    ] as const) {
      forget();
      const auth_time = Math.floor(Date.now() / 1000) + seconds;
      run.provider.change({ idToken: (claims) => ({ ...claims, auth_time }) });
      const reply = await confirmAs('ada');
      expect([reply.status, reply.text], words).toEqual([403, expect.stringContaining(words)]);
      expect((await ada.browser.post(form, { 'sessions.lifetime': '3600' })).status).toBe(400);
    }
    run.provider.change(undefined);
  });

  it('takes a new sign-in without auth_time only of a provider that is trusted so, and of the same person', async () => {
    await using trusting = await runSsoConsole({ confirmBy: 'sign-in' });
    trusting.provider.people.set('ada', { sub: 'ada', claims: { email: 'ada@example.org', groups: ['ops'] } });
    trusting.provider.people.set('eve', { sub: 'eve', claims: { email: 'eve@example.org', groups: ['ops'] } });
    const person = await trusting.person();
    await person.signIn('ada');
    const confirm = async (login: string, auth_time: number | undefined): Promise<PageReply> => {
      person.visitor.cookies.clear();
      trusting.provider.change({ idToken: (claims) => ({ ...claims, auth_time }) });
      return person.arrive(await person.visitor.signInAt((await askToConfirm(person)).href, login));
    };
    const late = await confirm('ada', Math.floor(Date.now() / 1000) - 900);
    expect(late.text).toContain('You did not enter your password there again.');
    expect((await confirm('eve', undefined)).text).toContain('Somebody else signed in there.');
    expect((await person.browser.post(form, { 'sessions.lifetime': '3600' })).status).toBe(400);
    const reply = await confirm('ada', undefined);
    expect([reply.status, reply.headers['location']], reply.text).toEqual([303, '../../settings/people-and-sessions']);
    expect((await person.browser.post(form, { 'sessions.lifetime': '3600' })).status).toBe(303);
  });

  it('takes a password of some seconds ago by the clock of a provider that is behind', async () => {
    forget();
    run.provider.change({ clockAhead: -45 });
    expect((await confirmAs('ada')).status).toBe(303);
    run.provider.change(undefined);
    forget();
  });

  it('confirms nothing for another session', async () => {
    forget();
    const back = await ada.visitor.signInAt((await askToConfirm(ada)).href, 'ada');
    const other = await run.person();
    await other.signIn('ada');
    const cookie = [...ada.browser.cookies].find(([name]) => name.includes('sso'))!;
    other.browser.cookies.set(...cookie);
    const reply = await other.arrive(back);
    expect(reply.headers['location'], reply.text).toBe('../../sign-in?next=%2Fsettings%2Fpeople-and-sessions');
    expect((await other.browser.post(form, { 'sessions.lifetime': '3600' })).status).toBe(400);
  });

  it('needs a session, and a post of this console', async () => {
    const nobody = await run.person();
    const path = `/sso/acme/confirm?next=${encodeURIComponent(form)}`;
    expect((await nobody.browser.post(path, {})).text).toContain('Sign in');
    const foreign = await ada.browser.post(
      path,
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    );
    expect([foreign.status, foreign.cookies]).toEqual([403, []]);
  });
});
