// What comes back from an identity provider: lost, late, used, foreign and refused answers, and claims from userinfo.

import { describe, expect, it } from 'vitest';
import { runSsoConsole, type SsoConsole } from '../../util/sso-console.ts';

const minuteMs = 60_000;

async function refusals({ console }: SsoConsole): Promise<readonly unknown[]> {
  const rows = await console.registry.state.range('audit/event/');
  return rows.flatMap(({ value }) => {
    const { action, details } = value as { action: string; details: { reason?: string } };
    return action === 'login.refused' ? [details.reason] : [];
  });
}

describe('an answer of an identity provider', () => {
  it('opens nothing in a browser that has lost its cookies', async () => {
    await using run = await runSsoConsole();
    const person = await run.person();
    const back = await person.visitor.signInAt(await person.leave(), 'ada');
    person.browser.cookies.clear();
    const reply = await person.arrive(back);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('Begin again here.')]);
    expect(reply.html).toContain('action="../../sso/acme"');
    expect(await refusals(run)).toEqual([]);
  });

  it('that another site asks for, without a sign-in, counts against nobody', async () => {
    await using run = await runSsoConsole();
    const browser = (await run.person()).browser;
    const events = await run.console.registry.state.range('audit/event/');
    for (let asked = 0; asked < 25; asked += 1)
      expect((await browser.get('/sso/acme/callback?code=x&state=y')).status).toBe(400);
    expect(await run.console.registry.state.range('attempt/')).toEqual([]);
    expect(await run.console.registry.state.range('audit/event/')).toEqual(events);
    expect((await (await run.person()).signIn('ada')).status).toBe(303);
  });

  it('counts once, also for somebody who kept the cookie', async () => {
    await using run = await runSsoConsole();
    const person = await run.person();
    const back = await person.visitor.signInAt(await person.leave(), 'ada');
    const kept = new Map(person.browser.cookies);
    expect((await person.arrive(back)).status).toBe(303);
    const other = await run.person();
    for (const [name, value] of kept) other.browser.cookies.set(name, value);
    const reply = await other.arrive(back);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('was used already')]);
    expect(await refusals(run)).toEqual(['sign-in used']);
  });

  it('comes too late after ten minutes', async () => {
    let nowMs = Date.now();
    await using run = await runSsoConsole({}, { now: () => nowMs });
    const person = await run.person();
    const back = await person.visitor.signInAt(await person.leave(), 'ada');
    nowMs += 10 * minuteMs;
    const reply = await person.arrive(back);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('More than ten minutes passed')]);
    expect(await refusals(run)).toEqual([]);
    expect(await run.console.registry.state.range('attempt/')).toEqual([]);
  });

  it('of another sign-in is refused, and the one of this browser still works', async () => {
    await using run = await runSsoConsole();
    const [person, attacker] = [await run.person(), await run.person()];
    run.provider.people.set('eve', {
      sub: 'subject-of-eve',
      claims: { email: 'eve@example.org', groups: ['everyone'] },
    });
    const theirs = await attacker.visitor.signInAt(await attacker.leave(), 'eve');
    const back = await person.visitor.signInAt(await person.leave(), 'ada');
    const reply = await person.arrive(theirs);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('does not belong to the sign-in')]);
    expect((await person.arrive(back)).status).toBe(303);
    expect((await person.browser.get('/account')).text).toContain('ada@example.org');
  });

  it.each([
    ['the parameter iss of another provider', { text: 'https://other.example' }],
    ['no parameter iss, although the provider announces it', 'left out'],
  ] as const)('with %s is refused', async (_, issParameter) => {
    await using run = await runSsoConsole();
    run.provider.change({ issParameter });
    const reply = await (await run.person()).signIn('ada');
    expect(reply.status).toBe(400);
    expect(await refusals(run)).toEqual(['foreign answer']);
  });

  it('that refuses is shown with the words of the provider', async () => {
    await using run = await runSsoConsole();
    const person = await run.person();
    const reply = await person.arrive(await person.visitor.signInAt(await person.leave(), 'ada', true));
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('Its words: The person refused.')]);
  });

  it.each([
    ['nonce', (claims: object) => ({ ...claims, nonce: 'another' })],
    ['audience', (claims: object) => ({ ...claims, aud: 'another' })],
    ['client', (claims: object) => ({ ...claims, azp: 'another' })],
    ['issuer', (claims: object) => ({ ...claims, iss: 'https://other.example' })],
  ])('with an ID token of another %s is refused', async (_, idToken) => {
    await using run = await runSsoConsole();
    run.provider.change({ idToken });
    const reply = await (await run.person()).signIn('ada');
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('was not accepted')]);
    expect(await refusals(run)).toEqual(['token not accepted']);
  });

  it('that was refused for the account begins again with the choice of another one', async () => {
    await using run = await runSsoConsole();
    for (const [prompts, prompt] of [
      [undefined, 'login'],
      [['login', 'select_account'], 'select_account'],
    ] as const) {
      run.provider.change({ discovery: { prompt_values_supported: prompts } });
      await using other = await runSsoConsole({ issuer: run.provider.url });
      const { browser } = await other.person();
      const page = await browser.post('/sso/acme?account=other', {});
      expect(page.html).toContain(`&amp;prompt=${prompt}"`);
      expect((await browser.post('/sso/acme', {})).html).not.toContain('prompt=');
    }
  });

  it('leads only to own pages afterwards', async () => {
    await using run = await runSsoConsole();
    for (const next of ['https://evil.example/', '//evil.example/', '/nowhere', '/sso/acme/callback']) {
      const reply = await (await run.person()).signIn('ada', next);
      expect([reply.status, reply.headers['location']], next).toEqual([303, '../../overview']);
    }
  });
});
