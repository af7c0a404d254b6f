// An identity provider that is down, that rotates its keys, or that this registry cannot prove itself to.

import { describe, expect, it } from 'vitest';
import { runSsoConsole } from '../../util/sso-console.ts';

const minuteMs = 60_000;

describe('an identity provider', () => {
  it('that is down lets nobody new in, running sessions stay, and the page says both', async () => {
    let nowMs = Date.now();
    await using run = await runSsoConsole({}, { now: () => nowMs });
    const inside = await run.person();
    await inside.signIn('ada');
    run.provider.fail('unreachable');
    nowMs += 61 * minuteMs;
    const reply = await (await run.person()).browser.post('/sso/acme', {});
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '60']);
    expect(reply.text).toContain('nobody new signs in with it. Sessions that run stay open.');
    expect(reply.text).toContain('tell an admin of the registry: The description and the keys of ');
    expect(reply.text.match(/Try again/g)).toHaveLength(1);
    expect((await inside.browser.get('/account')).status).toBe(200);
    run.provider.fail(undefined);
    nowMs += minuteMs;
    run.provider.change({ clockAhead: Math.round((nowMs - Date.now()) / 1000) });
    expect((await (await run.person()).signIn('ada')).status).toBe(303);
  });

  it('that fails only its description is known for an hour', async () => {
    let nowMs = Date.now();
    await using run = await runSsoConsole({}, { now: () => nowMs });
    await (await run.person()).signIn('ada');
    run.provider.fail('down', ['/.well-known']);
    nowMs += 50 * minuteMs;
    expect((await (await run.person()).browser.post('/sso/acme', {})).status).toBe(200);
    nowMs += 11 * minuteMs;
    expect((await (await run.person()).browser.post('/sso/acme', {})).status).toBe(503);
  });

  it.each(['down', 'unreachable', 'garbage'] as const)(
    'whose token endpoint is %s counts against nobody',
    async (fault) => {
      await using run = await runSsoConsole();
      const person = await run.person();
      const back = await person.visitor.signInAt(await person.leave(), 'ada');
      run.provider.fail(fault, ['/token']);
      const reply = await person.arrive(back);
      expect([reply.status, reply.text]).toEqual([503, expect.stringContaining('cannot be asked now')]);
      expect(run.console.registry.errors).toHaveLength(1);
      expect(await run.console.registry.state.range('attempt/')).toEqual([]);
    },
  );

  it('may replace its keys between two sign-ins', async () => {
    let nowMs = Date.now();
    await using run = await runSsoConsole({}, { now: () => nowMs });
    await (await run.person()).signIn('ada');
    await run.provider.rotate();
    nowMs += 2 * minuteMs;
    expect((await (await run.person()).signIn('ada')).status).toBe(303);
  });

  it('that does not know the secret of this registry leads to a page that says so', async () => {
    await using run = await runSsoConsole({}, { environment: { ACME_SECRET: 'a wrong secret' } });
    const reply = await (await run.person()).signIn('ada');
    expect([reply.status, reply.text]).toEqual([
      403,
      expect.stringContaining('does not accept the id or the secret of this registry'),
    ]);
    await using without = await runSsoConsole({}, { environment: {} });
    const missing = await (await without.person()).signIn('ada');
    expect([missing.status, missing.text]).toEqual([503, expect.stringContaining('its client secret is missing')]);
    expect(missing.text).not.toContain('ACME_SECRET');
    expect(String(without.console.registry.errors)).toContain('cannot prove itself');
  });
});
