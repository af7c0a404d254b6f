// Tests the proof that a person entered the password a short time ago: who gets one, and how long it is accepted.

import { describe, expect, it } from 'vitest';
import type { SessionCaller } from '../../proxy/auth/caller.ts';
import { runManagement, type RunningManagement, type SignedIn } from '../util/running-management.ts';

const address = '127.0.0.1';
const minuteMs = 60_000;

async function callerOf({ people }: RunningManagement, session: string, nowMs = Date.now()): Promise<SessionCaller> {
  const caller = await people.sessions.authenticate(`Bearer ${session}`, nowMs);
  if (caller === undefined) throw new Error('the session has ended');
  return caller;
}

async function confirmed(registry: RunningManagement, { token, password }: SignedIn): Promise<string> {
  const caller = await callerOf(registry, token);
  return (await registry.people.confirmations.confirm(caller, password, address)).reveal();
}

describe('a confirmation', () => {
  it('is accepted for five minutes, and at most half a minute more', async () => {
    await using registry = await runManagement();
    const ada = await registry.signIn('admin');
    const before = Date.now();
    const proof = await confirmed(registry, ada);
    const caller = await callerOf(registry, ada.token);
    const { verify } = registry.people.confirmations;
    expect(await verify(proof, caller, before)).toBe(true);
    expect(await verify(proof, caller, before + 5 * minuteMs - 1)).toBe(true);
    expect(await verify(proof, caller, Date.now() + 5.5 * minuteMs + 1000)).toBe(false);
  });

  it('is refused in another session of the same person, and in that of another person', async () => {
    await using registry = await runManagement();
    const ada = await registry.signIn('admin');
    const proof = await confirmed(registry, ada);
    const second = await registry.people.login({ email: ada.email, password: ada.password }, address);
    const others = [second.token.reveal(), (await registry.signIn('admin')).token];
    for (const token of others) {
      const caller = await callerOf(registry, token);
      expect(await registry.people.confirmations.verify(proof, caller, Date.now())).toBe(false);
    }
  });

  it('is made by a login too, for its session alone', async () => {
    await using registry = await runManagement();
    const ada = await registry.signIn('admin');
    const { login, confirmations } = registry.people;
    const loggedIn = await login({ email: ada.email, password: ada.password }, address);
    const proof = (await confirmations.afterLogin(loggedIn)).reveal();
    const verdicts = [loggedIn.token.reveal(), ada.token].map(async (token) =>
      confirmations.verify(proof, await callerOf(registry, token), Date.now()),
    );
    expect(await Promise.all(verdicts)).toEqual([true, false]);
  });

  it('ends when the person changes the password', async () => {
    await using registry = await runManagement();
    const ada = await registry.signIn('admin');
    const proof = await confirmed(registry, ada);
    const passwords = { current: ada.password, chosen: 'correct horse battery' };
    const { token } = await registry.people.account(ada.userId, address).changePassword(passwords);
    expect(await registry.people.sessions.authenticate(`Bearer ${ada.token}`, Date.now())).toBeUndefined();
    const caller = await callerOf(registry, token.reveal());
    expect(await registry.people.confirmations.verify(proof, caller, Date.now())).toBe(false);
  });

  it('is not made for a wrong password, and wrong ones use up the budget of logins', async () => {
    const nowMs = Date.now(); // the clock stands still, so that the wait does not pass
    await using registry = await runManagement({ now: () => nowMs });
    const ada = await registry.signIn('admin');
    const caller = await callerOf(registry, ada.token, nowMs);
    const guess = (password: string): Promise<string> =>
      registry.people.confirmations.confirm(caller, password, address).then(
        () => 'confirmed',
        (error: unknown) => String((error as { code?: unknown }).code),
      );
    const guesses: string[] = [];
    for (let at = 0; at < 5; at += 1) guesses.push(await guess(`wrong ${at}`));
    expect(new Set(guesses)).toEqual(new Set(['INVALID_CREDENTIALS']));
    expect(await guess(ada.password)).toBe('TOO_MANY_ATTEMPTS');
    const credentials = { email: ada.email, password: ada.password };
    const login = await registry.call('POST', '/api/auth/login', { body: credentials });
    expect(login.json()).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
    const { body } = await registry.call('GET', '/api/audit?action=login.refused', { as: ada.token });
    expect(body.toString()).toContain('wrong password');
  });

  it('is no session, and a session is no confirmation', async () => {
    await using registry = await runManagement();
    const ada = await registry.signIn('admin');
    const proof = await confirmed(registry, ada);
    expect((await registry.call('GET', '/api/auth/me', { as: proof })).status).toBe(401);
    const caller = await callerOf(registry, ada.token);
    expect(await registry.people.confirmations.verify(ada.token, caller, Date.now())).toBe(false);
  });
});
