// Tests what the pages say and do on a registry that sends mail: links for forgotten passwords, invitations, and the
// mails that a person turns off. The mails wait in the state, where the test opens them.

import { describe, expect, it } from 'vitest';
import { openContent, parseWaitingMail, waitingMailPrefix } from '../../../proxy/mail/mail.ts';
import { runConsole, type RunningConsole } from '../../util/running-console.ts';

const chosen = 'correct horse battery';
const sentence =
  'If there is an account for this address, a mail with a link is on its way. The link works for one hour.';

interface Mail {
  readonly to: string;
  readonly kind: string;
  readonly text: string;
}

async function mailsIn({ registry }: RunningConsole): Promise<readonly Mail[]> {
  const rows = await registry.state.range(waitingMailPrefix);
  return rows.map(({ value }) => {
    const mail = parseWaitingMail(value);
    return { to: mail.to, kind: mail.kind, text: openContent(registry.sealer, mail).text };
  });
}

describe('a forgotten password', () => {
  it('is replaced with a link by mail; the answer for an unknown address is the same', async () => {
    await using console = await runConsole({ mails: true });
    const { email } = await console.registry.signIn('viewer');
    const browser = console.browser();
    const typed = await browser.post('/sign-in', { email, password: 'forgotten' });
    expect(typed.html).toContain(`href="forgotten?email=${encodeURIComponent(email)}"`);
    const form = await browser.get(`/forgotten?email=${encodeURIComponent(email)}`);
    expect(form.html).toContain(`value="${email}"`);
    const unknown = await browser.post('/forgotten', { email: 'nobody@example.org' });
    const known = await browser.post('/forgotten', { email });
    expect([known.status, known.headers['location']]).toEqual([unknown.status, unknown.headers['location']]);
    expect([known.status, known.headers['location']]).toEqual([303, 'forgotten?notice=sent']);
    expect((await browser.get('/forgotten?notice=sent')).text).toContain(sentence);

    await expect.poll(async () => await mailsIn(console)).toHaveLength(1);
    const [mail] = await mailsIn(console);
    expect(mail).toMatchObject({ to: email, kind: 'reset' });
    const [, code = ''] = /\/ui\/invitation\?code=(inv_\w+)/.exec(mail!.text) ?? [];
    const fields = { code, password: chosen, password_again: chosen, repeated_password: chosen };
    expect((await browser.post('/invitation', fields)).headers['location']).toBe('overview');
    const used = await console.browser().get(`/invitation?code=${code}`);
    expect([used.status, used.text]).toEqual([404, expect.stringContaining('ask for a new link')]);
  });

  it('can be asked for a few times, then after a wait that the page names', async () => {
    await using console = await runConsole({ mails: true });
    const browser = console.browser();
    const ask = () => browser.post('/forgotten', { email: 'nobody@example.org' });
    for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(303);
    const late = await ask();
    expect([late.status, late.text]).toEqual([429, expect.stringMatching(/ask again in \d+ minutes\./)]);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(60);
    expect(late.html).toContain('value="nobody@example.org"');
    expect((await browser.post('/forgotten', { email: '' })).text).toContain('Enter your e-mail address.');
  });

  it('without mail is a matter of an admin', async () => {
    await using console = await runConsole();
    const browser = console.browser();
    expect((await browser.get('/forgotten')).text).toContain('Ask an admin of this registry for a reset link.');
    const posted = await browser.post('/forgotten', { email: 'nobody@example.org' });
    expect([posted.status, posted.text]).toEqual([400, expect.stringContaining('This page takes no form.')]);
  });
});

it('a link of an admin goes out by mail, too', async () => {
  await using console = await runConsole({ mails: true });
  const { browser } = await console.signIn('admin');
  expect((await browser.get('/people/invite')).text).toContain('They get a mail with a link.');
  const made = await browser.post('/people/invite', { email: 'grace@x.example', name: 'Grace', role: 'viewer' });
  expect(made.text).toContain('A mail with this link is on its way to grace@x.example.');
  const [mail] = await mailsIn(console);
  const [code = 'none'] = /inv_\w+/.exec(made.text) ?? [];
  expect([mail?.kind, mail?.text]).toEqual(['invitation', expect.stringContaining(code)]);
  const { record } = await console.registry.people
    .usersOf('cli:test')
    .create({ email: 'joan@x.example', role: 'viewer', password: chosen });
  const again = await browser.post(`/people/${record.id}/reset-link`, {});
  expect(again.text).toContain('A mail with this link is on its way to joan@x.example.');
});

describe('the mails of an account', () => {
  it('are turned off and on by topic', async () => {
    await using console = await runConsole({ mails: true });
    const { browser, userId } = await console.signIn('maintainer');
    const off = async () => (await console.registry.people.usersOf('cli:test').get(userId)).mail_off ?? [];
    const account = await browser.get('/account');
    expect(account.html.match(/name="mails" value="\w+" checked/g)).toHaveLength(3);
    expect((await browser.post('/account/mails', { mails: 'tokens' })).headers['location']).toContain(
      'account?notice=mails-changed',
    );
    expect(await off()).toEqual(['syncs', 'advisories']);
    expect((await browser.get('/account')).html.match(/name="mails" value="\w+" checked/g)).toHaveLength(1);
    expect((await browser.get('/account/mails')).html.match(/name="mails" value="tokens" checked/g)).toHaveLength(1);
    await browser.post('/account/mails', {});
    expect(await off()).toEqual(['syncs', 'tokens', 'advisories']);
  });

  it('of a viewer are those about tokens; what the page does not show stays', async () => {
    await using console = await runConsole({ mails: true });
    const { browser, userId } = await console.signIn('viewer');
    const users = console.registry.people.usersOf('cli:test');
    await users.update(userId, { mailOff: ['advisories'] });
    const { html } = await browser.get('/account');
    expect([html.includes('value="tokens"'), html.includes('value="syncs"')]).toEqual([true, false]);
    await browser.post('/account/mails', { mails: 'advisories' });
    expect((await users.get(userId)).mail_off).toEqual(['tokens', 'advisories']);
  });

  it('are not shown where the registry sends none', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    expect((await browser.get('/account')).html).not.toContain('account/mails');
    expect((await browser.get('/account/mails')).status).toBe(404);
  });
});
