// Signing in at an identity provider, from the button to the page that was asked for.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { personStatus } from '../../../proxy/auth/person-status.ts';
import { createAuthenticator } from '../../../proxy/core/tokens/authenticate.ts';
import { createPasswords } from '../../../proxy/auth/password.ts';
import { standardRules } from '../../../proxy/auth/people-rules.ts';
import { createPeople } from '../../../proxy/auth/people.ts';
import { runSsoConsole, type SsoConsole } from '../../util/sso-console.ts';

describe('signing in at an identity provider', () => {
  let run: SsoConsole;
  beforeAll(async () => {
    run = await runSsoConsole();
  });
  afterAll(() => run[Symbol.asyncDispose]());

  it('offers the provider on the sign-in page, and leads to the page that was asked for', async () => {
    const person = await run.person();
    const page = await person.browser.get('/sign-in?next=%2Faccount');
    expect(page.text).toContain('Sign in with Acme login');
    expect(page.html).toContain('action="sso/acme?next=%2Faccount"');
    const reply = await person.signIn('ada', '/account');
    expect([reply.status, reply.headers['location']], reply.text).toEqual([303, '../../account']);
    const account = await person.browser.get('/account');
    expect(account.text).toContain('ada@example.org');
    expect(account.text).toContain('You are signed in as maintainer.');
    expect(account.text).toContain('You sign in at an identity provider.');
    expect(account.html).not.toMatch(/account\/(?:password|two-factor)/);
    expect([...person.browser.cookies.keys()]).toEqual([expect.stringContaining('libretto-session')]);
  });

  it('lasts no longer than its provider stands in the configuration', async () => {
    const { browser, signIn } = await run.person();
    await signIn('ada');
    const { state, keys, sealer } = run.console.registry;
    const [token = ''] = browser.cookies.values();
    const callerWith = (providers: readonly string[]) =>
      createPeople({
        state,
        keys,
        sealer,
        providers,
        randomBytes,
        passwords: createPasswords({ randomBytes }),
        now: Date.now,
        rules: () => standardRules,
      }).sessions.authenticate(`Bearer ${token}`, Date.now());
    expect(await callerWith(['acme'])).toMatchObject({ email: 'ada@example.org', provider: 'acme' });
    expect(await callerWith(['another'])).toBeUndefined();
  });

  it('gives a terminal that rests while no provider of its person stands in the configuration', async () => {
    await (await run.person()).signIn('ada');
    const { state, services, people } = run.console.registry;
    const [ada] = await people.usersOf('cli:test').list();
    const person = ada?.id ?? expect.unreachable();
    const { secret } = await services
      .tokensOf(`user:${person}`)
      .create({ kind: 'read', description: 'a laptop', person });
    const outcomeWith = async (issuers: readonly string[]) =>
      (
        await createAuthenticator(state, { personStatus: personStatus(state, { issuers }) }).authenticate(
          `Bearer ${secret.reveal()}`,
          Date.now(),
        )
      ).outcome;
    expect(await outcomeWith([run.provider.url])).toBe('valid');
    expect(await outcomeWith(['https://login.example.org'])).toBe('invalid');
  });
});
