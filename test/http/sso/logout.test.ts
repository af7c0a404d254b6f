// Signing out at an identity provider: the provider tells the registry (OpenID Connect Back-Channel Logout 1.0), and
// the registry leads its people to the provider's own sign-out.

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKey, signWith } from '../../util/identity-provider-keys.ts';
import type { PageReply } from '../../util/running-console.ts';
import { runSsoConsole, type SsoConsole, type SsoPerson } from '../../util/sso-console.ts';

const path = '/ui/sso/acme/backchannel-logout';
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const password = 'correct horse battery';

let run: SsoConsole;
let ada: SsoPerson;
let eve: SsoPerson;
beforeAll(async () => {
  run = await runSsoConsole({ linkByEmail: true });
  run.provider.people.set('eve', { sub: 'subject-of-eve', claims: { email: 'eve@example.org', groups: ['ops'] } });
  await run.console.registry.people
    .usersOf('cli:test')
    .create({ email: 'ada@example.org', role: 'maintainer', password });
  [ada, eve] = [await run.person(), await run.person()];
  await eve.signIn('eve');
});
afterAll(() => run[Symbol.asyncDispose]());

function post(token: string, headers: Readonly<Record<string, string>> = {}): Promise<PageReply> {
  return run.console
    .browser()
    .send(
      'POST',
      path,
      { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      new URLSearchParams({ logout_token: token }).toString(),
    );
}

function claimsOf(more: object = {}): object {
  const iat = Math.floor(Date.now() / 1000);
  return {
    iss: run.provider.url,
    aud: 'libretto',
    iat,
    exp: iat + 120,
    jti: randomUUID(),
    events,
    sub: 'subject-of-ada',
    ...more,
  };
}

const signed = (more: object = {}, typ: string | undefined = 'logout+jwt'): Promise<string> =>
  run.provider.sign(claimsOf(more), { typ });

const isSignedIn = async ({ browser }: SsoPerson): Promise<boolean> => (await browser.get('/account')).status === 200;

async function sessionsOf(email: string) {
  const { people } = run.console.registry;
  const user = (await people.usersOf('cli:test').list()).find((one) => one.email === email);
  return people.sessions.list(user?.id ?? '');
}

async function auditOf(action: string): Promise<readonly object[]> {
  const rows = await run.console.registry.state.range('audit/event/');
  return rows.map(({ value }) => value as { action: string }).filter((event) => event.action === action);
}

describe('a logout token of the provider', () => {
  beforeEach(async () => {
    if (!(await isSignedIn(ada))) await ada.signIn('ada');
  });
  afterEach(async () => expect(await isSignedIn(eve)).toBe(true));

  it('ends all sessions of its subject that began there, with one event, and leaves one that began here', async () => {
    const [second, local] = [await run.person(), await run.person()];
    await second.signIn('ada');
    await local.browser.post('/sign-in', { email: 'ada@example.org', password });
    const reply = await post(await signed());
    expect([reply.status, reply.html, reply.headers['cache-control'], reply.cookies]).toEqual([
      200,
      '',
      'no-store',
      [],
    ]);
    expect([await isSignedIn(ada), await isSignedIn(second), await isSignedIn(local)]).toEqual([false, false, true]);
    const sessions = [expect.stringMatching(/^ses_/), expect.stringMatching(/^ses_/)];
    expect(await auditOf('user.sign_out')).toMatchObject(
      [{ actor: 'system:sso', subject: /^usr_/, details: { provider: 'acme', sessions } }].map((event) => ({
        ...event,
        subject: expect.stringMatching(event.subject),
      })),
    );
  });

  it.each(['with its subject', 'alone'])('that names a session, %s, ends this one and no other', async (how) => {
    const second = await run.person();
    await second.signIn('ada');
    const [session] = await sessionsOf('ada@example.org');
    const sid = session?.provider_session;
    expect((await post(await signed({ sid, ...(how === 'alone' && { sub: undefined }) }))).status).toBe(200);
    expect([await isSignedIn(ada), await isSignedIn(second)]).toEqual([true, false]);
  });

  it('of a person or a session that is unknown here changes nothing, and is no error', async () => {
    const before = await auditOf('user.sign_out');
    for (const more of [{ sub: 'nobody' }, { sid: 'no session' }, { sub: undefined, sid: 'no session' }])
      expect((await post(await signed(more))).status).toBe(200);
    expect([await isSignedIn(ada), await auditOf('user.sign_out')]).toEqual([true, before]);
  });

  it('counts once', async () => {
    const token = await signed();
    expect((await post(token)).status).toBe(200);
    await ada.signIn('ada');
    const again = await post(token);
    expect([again.status, JSON.parse(again.html)]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'The logout token is not accepted: it was used before.' },
    ]);
    expect(await isSignedIn(ada)).toBe(true);
  });

  const now = Math.floor(Date.now() / 1000);
  it.each<readonly [string, object, string]>([
    ['of another issuer', { iss: 'https://other.example' }, 'its claim iss is "https://other.example"'],
    ['for another client', { aud: 'another' }, 'its claim aud is "another"'],
    ['for other clients', { aud: ['one', 'another'] }, 'its claim aud is'],
    ['without an audience', { aud: undefined }, 'its claim aud is missing'],
    ['that has expired', { iat: now - 400, exp: now - 300 }, 'it has expired'],
    ['without an end', { exp: undefined }, 'its claim exp is missing'],
    ['from the future', { iat: now + 600, exp: now + 700 }, 'it comes from the future'],
    ['without a beginning', { iat: 'today' }, 'its claim iat is "today"'],
    ['that is valid for days', { exp: now + 200_000 }, 'more than 24 hours'],
    ['without the event', { events: { other: {} } }, 'its claim events has no member'],
    ['whose event is a text', { events: { ...events, [Object.keys(events)[0]!]: 'yes' } }, 'its claim events has no'],
    ['with a nonce', { nonce: 'one' }, 'it has a claim nonce'],
    ['without an id', { jti: undefined }, 'it has no claim jti'],
    ['without a person and a session', { sub: undefined }, 'neither the claim sub nor the claim sid'],
    ['with a number as its subject', { sub: 5 }, 'its claim sub is no text'],
    ['with a list as its session', { sid: ['a'] }, 'its claim sid is no text'],
  ])('%s is refused', async (_, more, fault) => {
    const reply = await post(await signed(more));
    expect([reply.status, JSON.parse(reply.html)]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining(fault) as string },
    ]);
    expect(reply.headers['cache-control']).toContain('no-store');
    expect(await isSignedIn(ada)).toBe(true);
  });

  it('of another type, of another key, without a signature, or that is no JWT is refused', async () => {
    const [header, body] = (await signed()).split('.') as [string, string];
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'logout+jwt' })).toString('base64url');
    const stolen = signWith({ ...(await makeKey()), kid: headerOf(header).kid }, claimsOf(), { typ: 'logout+jwt' });
    for (const token of [
      await signed({}, 'at+jwt'),
      await stolen,
      await signWith(await makeKey(), claimsOf(), { typ: 'logout+jwt' }),
      `${unsigned}.${body}.`,
      `${header}.${Buffer.from(JSON.stringify(claimsOf())).toString('base64url')}.AAAA`,
      'nonsense',
      '',
      'a'.repeat(20_000),
    ])
      expect((await post(token)).status, token.slice(0, 40)).toBe(400);
    expect(await isSignedIn(ada)).toBe(true);
  });

  it.each([undefined, 'JWT', 'application/logout+jwt'])('may have the type %s', async (typ) => {
    expect((await post(await run.provider.sign(claimsOf(), { ...(typ !== undefined && { typ }) }))).status).toBe(200);
    expect(await isSignedIn(ada)).toBe(false);
  });

  it('is taken by a post alone, of a known host alone, and with the form that the standard names', async () => {
    const token = await signed();
    const browser = run.console.browser();
    expect((await browser.send('GET', path)).status).toBe(405);
    const json = { 'content-type': 'application/json' };
    expect((await browser.send('POST', path, json, JSON.stringify({ logout_token: token }))).status).toBe(400);
    const rebound = await post(token, { host: 'rebound.example' });
    expect([rebound.status, rebound.text]).toEqual([400, expect.stringContaining('rebound.example')]);
    expect((await browser.send('POST', '/ui/sso/other/backchannel-logout')).status).toBe(403);
    expect(await isSignedIn(ada)).toBe(true);
    expect((await post(token)).status).toBe(200);
  });

  it('is sent by the provider itself when its person signs out there', async () => {
    const address = `${run.provider.url}/session/end?client_id=libretto`;
    const back = `${run.console.origin}/ui/sign-in`;
    await ada.visitor.signOutAt(`${address}&post_logout_redirect_uri=${encodeURIComponent(back)}`);
    await expect.poll(() => isSignedIn(ada)).toBe(false);
  });
});

function headerOf(text: string): { readonly kid: string } {
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as { kid: string };
}

describe('signing out here', () => {
  it('ends the session, and leads to the sign-out of the provider and back to the sign-in page', async () => {
    const person = await run.person();
    await person.signIn('ada');
    const left = await person.browser.post('/sign-out', {});
    expect([left.status, left.headers['location']]).toEqual([303, 'sso/acme/signed-out']);
    expect([...person.browser.cookies.keys()].filter((name) => name.includes('session'))).toEqual([]);
    const page = await person.browser.get('/sso/acme/signed-out');
    expect(page.text).toContain('You are signed out here');
    const address = (/href="([^"]+)"[^>]*>Sign out at Acme login too/.exec(page.html)?.[1] ?? '').replaceAll(
      '&amp;',
      '&',
    );
    const back = `${run.console.origin}/ui/sign-in`;
    expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
      client_id: 'libretto',
      post_logout_redirect_uri: back,
    });
    expect((await person.visitor.signOutAt(address)).href).toBe(back);
    await person.signIn('ada');
    expect(person.visitor.wasAsked()).toBe(true);
  });

  it('needs no provider, and says that it cannot be reached', async () => {
    let nowMs = Date.now();
    await using alone = await runSsoConsole({}, { now: () => nowMs });
    const person = await alone.person();
    await person.signIn('ada');
    alone.provider.fail('unreachable');
    nowMs += 61 * 60_000;
    expect((await person.browser.post('/sign-out', {})).status).toBe(303);
    const page = await person.browser.get('/sso/acme/signed-out');
    expect(page.headers['location']).toBe('../../sign-in?notice=signed-out-here');
    expect((await person.browser.get('/sign-in?notice=signed-out-here')).text).toContain('cannot be reached now');
    expect(await isSignedIn(person)).toBe(false);
  });

  it.each([
    ['does not want it', { logout: false }, {}],
    ['has no sign-out', {}, { discovery: { end_session_endpoint: undefined } }],
  ])('ends at the sign-in page if the configuration or the provider %s', async (_, settings, changes) => {
    await using alone = await runSsoConsole(settings);
    alone.provider.change(changes);
    const person = await alone.person();
    await person.signIn('ada');
    const left = await person.browser.post('/sign-out', {});
    const to = String(left.headers['location']);
    const end = to === 'sso/acme/signed-out' ? await person.browser.get('/sso/acme/signed-out') : left;
    expect(end.headers['location']).toMatch(/sign-in\?notice=signed-out$/);
  });

  it('of a session that began here leads nowhere else', async () => {
    const person = await run.person();
    await person.browser.post('/sign-in', { email: 'ada@example.org', password });
    const left = await person.browser.post('/sign-out', {});
    expect(left.headers['location']).toBe('sign-in?notice=signed-out');
  });
});

describe('a provider that is down', () => {
  it('cannot end sessions, and its sign-outs say so', async () => {
    let nowMs = Date.now();
    await using alone = await runSsoConsole({}, { now: () => nowMs });
    const person = await alone.person();
    await person.signIn('ada');
    alone.provider.fail('down', ['/.well-known']);
    nowMs += 61 * 60_000;
    const token = await alone.provider.sign({ ...claimsOf(), iss: alone.provider.url }, { typ: 'logout+jwt' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ logout_token: token }).toString();
    const reply = await alone.console.browser().send('POST', path, headers, body);
    expect([reply.status, JSON.parse(reply.html)]).toMatchObject([400, { error: 'temporarily_unavailable' }]);
    expect(await isSignedIn(person)).toBe(true);
  });
});
