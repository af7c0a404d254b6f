// Attacks on sign-in at identity providers: injected codes, mixed-up providers, accounts of others, forged ID tokens. A
// second provider is configured, and belongs to an attacker.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKey } from '../../util/identity-provider-keys.ts';
import { ada, startIdentityProvider, type IdentityProvider } from '../../util/identity-provider.ts';
import type { PageReply } from '../../util/running-console.ts';
import { runSsoConsole, type SsoConsole } from '../../util/sso-console.ts';
import { standardProvider } from '../../util/sso-provider.ts';

const eve = { sub: 'subject-of-eve', claims: { email: 'eve@example.org', email_verified: true, groups: ['everyone'] } };

let evil: IdentityProvider;
let run: SsoConsole;
beforeAll(async () => {
  evil = await startIdentityProvider();
  const second = { ...standardProvider, id: 'evil', title: 'Evil login', issuer: evil.url, linkByEmail: true };
  run = await runSsoConsole({ linkByEmail: true }, {}, [second]);
  await evil.register(run.console.origin, 'evil');
  run.provider.people.set('eve', eve);
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await evil[Symbol.asyncDispose]();
});
beforeEach(() => {
  run.provider.change(undefined);
  evil.change(undefined);
});

const tokenRequests = ({ requests }: IdentityProvider): number =>
  requests.filter((one) => one.startsWith('POST /token')).length;

async function lastRefusal(): Promise<unknown> {
  const rows = await run.console.registry.state.range('audit/event/', { reverse: true });
  const events = rows.map(({ value }) => value as { action: string; details: { reason?: string } });
  return events.find(({ action }) => action === 'login.refused')?.details.reason;
}

async function isRefused(reply: PageReply, status: number, reason: string): Promise<void> {
  expect([reply.status, await lastRefusal()], reply.text).toEqual([status, reason]);
  expect(reply.cookies.filter((cookie) => cookie.includes('session'))).toEqual([]);
}

const usersOf = () => run.console.registry.people.usersOf('cli:test').list();

describe('a code', () => {
  it.each([
    ['of the attacker in the answer to a victim', 'eve', 'ada'],
    ['of a victim in the answer to the attacker', 'ada', 'eve'],
  ])('%s is not redeemed', async (_, owner, receiver) => {
    const [from, to] = [await run.person(), await run.person()];
    const stolen = await from.visitor.signInAt(await from.leave(), owner);
    const back = await to.visitor.signInAt(await to.leave(), receiver);
    back.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    await isRefused(await to.arrive(back), 403, 'token not accepted');
  });

  it('that nobody made, and an answer with two codes are not redeemed', async () => {
    for (const change of [
      (query: URLSearchParams) => query.set('code', 'invented'),
      (query: URLSearchParams) => query.append('code', 'second'),
      (query: URLSearchParams) => query.append('state', 'second'),
    ]) {
      const person = await run.person();
      const back = await person.visitor.signInAt(await person.leave(), 'ada');
      change(back.searchParams);
      const reply = await person.arrive(back);
      expect([400, 403], reply.text).toContain(reply.status);
      expect((await person.browser.get('/account')).status).toBe(303);
    }
  });
});

describe('mixed-up providers', () => {
  it('an honest answer never reaches the other provider, whichever callback it is sent to', async () => {
    const before = tokenRequests(evil);
    const person = await run.person('evil');
    await person.leave();
    const honest = await run.person();
    const back = await honest.visitor.signInAt(await honest.leave(), 'ada');
    await isRefused(await person.arrive(back), 400, 'foreign answer');
    await isRefused(await person.arrive(new URL(back.href.replace('/acme/', '/evil/'))), 400, 'foreign answer');
    expect(tokenRequests(evil)).toBe(before);
  });

  it('an answer with the state of this sign-in, and the issuer of the other, is refused', async () => {
    const before = tokenRequests(evil);
    const person = await run.person('evil');
    const state = new URL(await person.leave()).searchParams.get('state') ?? '';
    const honest = await run.person();
    const back = await honest.visitor.signInAt(await honest.leave(), 'ada');
    back.searchParams.set('state', state);
    await isRefused(await person.arrive(new URL(back.href.replace('/acme/', '/evil/'))), 400, 'foreign answer');
    expect(tokenRequests(evil)).toBe(before);
  });

  it('a provider that names the endpoints of another, or another issuer, gets nobody in', async () => {
    for (const discovery of [{ issuer: run.provider.url }, { issuer: `${evil.url}/` }]) {
      await using other = await startIdentityProvider();
      other.change({ discovery });
      const settings = { ...standardProvider, id: 'evil', issuer: other.url };
      await using alone = await runSsoConsole({}, {}, [settings]);
      const reply = await (await alone.person('evil')).browser.post('/sso/evil', {});
      expect([reply.status, reply.text]).toEqual([503, expect.stringContaining('describes itself as another issuer')]);
    }
  });
});

describe('the account of another person', () => {
  it('is not opened by the same subject, address and groups at another provider, which the operator does not link', async () => {
    expect((await (await run.person()).signIn('ada')).status).toBe(303);
    evil.people.set('ada', { ...ada, claims: { ...ada.claims, email_verified: false, groups: ['ops'] } });
    await isRefused(await (await run.person('evil')).signIn('ada'), 403, 'other provider');
    const [user] = await usersOf();
    expect(user).toMatchObject({ email: 'ada@example.org', role: 'maintainer' });
    expect(user?.identities).toHaveLength(1);
  });

  it.each(['ADA@example.org', ' ada@example.org', 'ada@EXAMPLE.org'])('has no second one as %j', async (email) => {
    run.provider.people.set('eve', { ...eve, claims: { ...eve.claims, email, email_verified: true } });
    const reply = await (await run.person()).signIn('eve');
    run.provider.people.set('eve', eve);
    await isRefused(reply, 403, email.startsWith(' ') ? 'no e-mail address' : 'other subject');
  });

  it('is not opened by look-alike letters', async () => {
    run.provider.people.set('eve', { ...eve, claims: { ...eve.claims, email: 'аda@example.org' } });
    const reply = await (await run.person()).signIn('eve');
    run.provider.people.set('eve', eve);
    const [user] = await usersOf();
    expect(user?.identities, reply.text).toMatchObject([{ subject: ada.sub }]);
  });

  it('is not opened by an answer of userinfo about somebody else', async () => {
    run.provider.change({ onlyUserinfo: true });
    run.provider.people.set('eve', { ...eve, claims: { ...eve.claims, sub: ada.sub } });
    const reply = await (await run.person()).signIn('eve');
    run.provider.people.set('eve', eve);
    await isRefused(reply, 403, 'token not accepted');
  });
});

describe('an ID token', () => {
  it('of another key is refused, also under the name of a known one', async () => {
    run.provider.change({ key: await makeKey() });
    await isRefused(await (await run.person()).signIn('ada'), 403, 'token not accepted');
    const kid = JSON.parse(Buffer.from((await run.provider.sign({})).split('.')[0] ?? '', 'base64url').toString()).kid;
    run.provider.change({ key: { ...(await makeKey()), kid } });
    await isRefused(await (await run.person()).signIn('ada'), 403, 'token not accepted');
  });

  it.each([
    ['is 45 seconds ahead', { clockAhead: 45 }, 303],
    ['is 45 seconds behind', { clockAhead: -45 }, 303],
    ['is an hour behind', { clockAhead: -3600 }, 403],
  ])('of a clock that %s', async (_, change, status) => {
    run.provider.change(change);
    expect((await (await run.person()).signIn('ada')).status).toBe(status);
  });
});

describe('a person', () => {
  it.each([
    ['no groups at all', { groups: undefined }, 'does not say which groups you are in (claim groups)'],
    ['too many groups for Entra ID', { groups: undefined, _claim_names: { groups: 'src1' } }, 'in so many groups'],
    ['groups that are no text', { groups: { ops: true } }, 'does not say which groups'],
  ])('with %s learns what to do', async (_, claims, words) => {
    run.provider.people.set('eve', { ...eve, claims: { ...eve.claims, ...claims } });
    const reply = await (await run.person()).signIn('eve');
    run.provider.people.set('eve', eve);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(words)]);
  });

  it('who is removed at the provider gets no new session, and the running one stays until the provider ends it', async () => {
    const [inside, late] = [await run.person(), await run.person()];
    await inside.signIn('ada');
    const back = await late.visitor.signInAt(await late.leave(), 'ada');
    run.provider.people.delete('ada');
    await isRefused(await late.arrive(back), 403, 'token not accepted');
    await expect((await run.person()).signIn('ada')).rejects.toThrow('Unknown person');
    expect((await inside.browser.get('/account')).status).toBe(200);
    run.provider.people.set('ada', ada);
  });
});
