// Somebody else's e-mail address at a provider: it opens no account before its owner comes, after its owner came, and
// by a claim that speaks of another address.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../build/contract/json.ts';
import { startIdentityProvider, type IdentityProvider } from '../../util/identity-provider.ts';
import type { PageReply } from '../../util/running-console.ts';
import { runSsoConsole, type SsoConsole } from '../../util/sso-console.ts';
import { standardProvider } from '../../util/sso-provider.ts';

let trusted: IdentityProvider;
let run: SsoConsole;
/** Anybody enters any address at `acme`; `trusted` checks addresses. */
beforeAll(async () => {
  trusted = await startIdentityProvider();
  const second = { ...standardProvider, id: 'trusted', title: 'Trusted login', issuer: trusted.url, linkByEmail: true };
  run = await runSsoConsole({}, {}, [second]);
  await trusted.register(run.console.origin, 'trusted');
  const password = 'correct horse battery';
  for (const name of ['root', 'kim', 'max'])
    await usersOf().create({ email: `${name}@example.org`, role: 'admin', password });
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await trusted[Symbol.asyncDispose]();
});
beforeEach(() => trusted.change(undefined));

const usersOf = () => run.console.registry.people.usersOf('cli:test');
const identitiesOf = async (email: string) => (await usersOf().get(email)).identities ?? [];

async function signIn(provider: IdentityProvider, sub: string, claims: JsonObject): Promise<PageReply> {
  provider.people.set(sub, { sub, claims });
  return (await run.person(provider === trusted ? 'trusted' : 'acme')).signIn(sub);
}

async function lastRefusal(): Promise<JsonObject | undefined> {
  const rows = await run.console.registry.state.range('audit/event/', { reverse: true });
  const events = rows.map(({ value }) => value as { action: string; details: JsonObject });
  return events.find(({ action }) => action === 'login.refused')?.details;
}

describe('an account that a sign-in made with the address of another person', () => {
  it('is not opened to that person, who learns what to do, and its maker gets no more rights', async () => {
    const email = 'ceo@example.org';
    expect((await signIn(run.provider, 'evil', { email, groups: ['everyone'] })).status).toBe(303);
    const ceo = { email, email_verified: true, groups: ['ops'] };
    const reply = await signIn(trusted, 'ceo', ceo);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('was made by a sign-in at another')]);
    expect(reply.text).toContain('ask an admin of the registry to remove that account');
    expect(await lastRefusal()).toMatchObject({ reason: 'other provider' });
    const made = await usersOf().get(email);
    expect([made.role, made.identities]).toEqual(['viewer', [expect.objectContaining({ subject: 'evil' })]]);
    await usersOf().remove(made.id);
    expect((await signIn(trusted, 'ceo', ceo)).status).toBe(303);
    expect(await identitiesOf(email)).toMatchObject([{ subject: 'ceo' }]);
  });
});

describe('an account with a password', () => {
  it.each([
    ['about no address, and userinfo has an unchecked one', true, false],
    ['about no address, and userinfo says nothing of it', true, undefined],
    ['as a text, and userinfo has it as a text', undefined, 'true'],
  ])('stays closed if the ID token has email_verified %s', async (_, inToken, inUserinfo) => {
    trusted.change({ onlyUserinfo: true, idToken: (claims) => ({ ...claims, email_verified: inToken }) });
    const claims = { email: 'max@example.org', groups: ['ops'] };
    const more = inUserinfo === undefined ? {} : { email_verified: inUserinfo };
    const reply = await signIn(trusted, 'max', { ...claims, ...more });
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('does not say that it checked')]);
    expect(await identitiesOf('max@example.org')).toEqual([]);
  });

  it('stays closed if userinfo has checked another address than that of the ID token', async () => {
    const email = 'max@example.org';
    trusted.change({ onlyUserinfo: true, idToken: (claims) => ({ ...claims, email, groups: ['ops'] }) });
    const reply = await signIn(trusted, 'max', { email: 'other@example.org', email_verified: true });
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('does not say that it checked')]);
  });

  it('stays closed for a letter that only becomes the same in lower case', async () => {
    const reply = await signIn(trusted, 'kelvin', {
      email: '\u212Aim@example.org',
      email_verified: true,
      groups: ['ops'],
    });
    expect(reply.status).toBe(403);
    expect(await identitiesOf('kim@example.org')).toEqual([]);
  });

  it('opens if userinfo has checked the address that it sends, in whatever case', async () => {
    trusted.change({ onlyUserinfo: true });
    const reply = await signIn(trusted, 'max', { email: 'MAX@example.org', email_verified: true, groups: ['ops'] });
    expect(reply.status, reply.text).toBe(303);
    expect(await identitiesOf('max@example.org')).toHaveLength(1);
  });
});
