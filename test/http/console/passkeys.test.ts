// Tests passkeys on the pages of the console, with an authenticator in software: adding, signing in, the second factor,
// confirmation of dangerous posts, names, removal.

import { describe, expect, it } from 'vitest';
import { softAuthenticator } from '../../util/passkey-authenticator.ts';
import { passkeyBrowser, type PasskeyBrowser } from '../../util/passkey-browser.ts';
import { runConsole, type RunningConsole } from '../../util/running-console.ts';

const proofIn = (html: string): string => /name="proof" value="([^"]+)"/.exec(html)?.[1] ?? 'no proof';
const codesIn = (html: string): readonly string[] => html.match(/[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}/g) ?? [];
const idIn = (html: string): string => /passkeys\/(pk_\w{16})\/name/.exec(html)?.[1] ?? 'no passkey';

/** A person with a passkey, signed in. */
async function personWithPasskey(console: RunningConsole) {
  const person = await console.signIn('admin');
  const at = passkeyBrowser(console, person.browser);
  const authenticator = softAuthenticator();
  const added = await at.add(authenticator);
  return { ...person, at, authenticator, added };
}

/** The second step of a sign-in: the proof that the password was right. */
async function firstStep(at: PasskeyBrowser, { email, password }: { email: string; password: string }) {
  const page = await at.post('/sign-in', { email, password });
  return { page, proof: proofIn(page.html) };
}

describe('passkeys', () => {
  it('the first one gives recovery codes, and is listed with its name and its last use', async () => {
    await using console = await runConsole();
    const { at, added, authenticator } = await personWithPasskey(console);
    expect(added.status).toBe(200);
    expect(codesIn(added.html)).toHaveLength(10);
    expect((await at.get('/account')).text).toMatch(/Laptop .* never/);
    const second = await at.add(softAuthenticator(), 'Phone');
    expect([second.status, second.headers['location']]).toEqual([303, '../../account?notice=passkey-added']);
    const other = passkeyBrowser(console);
    await other.post('/sign-in', await other.answer('sign-in', authenticator));
    expect((await other.get('/account')).text).toMatch(/Laptop .* seconds? ago|Laptop .* now/);
  });

  it('signs in without the password', async () => {
    await using console = await runConsole();
    const { authenticator, email } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    expect((await at.get('/sign-in')).text).toContain('Sign in with a passkey');
    const reply = await at.post('/sign-in?next=/tokens', await at.answer('sign-in', authenticator));
    expect([reply.status, reply.headers['location']]).toEqual([303, 'tokens']);
    expect((await at.get('/account')).text).toContain(email);
  });

  it('is the second factor after the password, with recovery codes as the way back', async () => {
    await using console = await runConsole();
    const { authenticator, added, ...person } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    const { page, proof } = await firstStep(at, person);
    expect(page.text).toContain('Use a passkey');
    expect(page.text).toContain('One of your recovery codes');
    expect(at.browser.cookies.size).toBe(0);
    const reply = await at.post('/sign-in', { proof, ...(await at.answer('second-step', authenticator, { proof })) });
    expect([reply.status, at.browser.cookies.size]).toEqual([303, 2]);

    const lost = passkeyBrowser(console);
    const [code = ''] = codesIn(added.html);
    const back = await lost.post('/sign-in', { proof: (await firstStep(lost, person)).proof, code });
    expect(back.status).toBe(303);
    const next = passkeyBrowser(console);
    const wrong = await next.post('/sign-in', { proof: (await firstStep(next, person)).proof, code });
    expect(wrong.text).toContain('This recovery code is wrong or used. Enter another one, or use a passkey.');
    expect((await lost.get('/account')).text).toContain('9 recovery codes left');
  });

  it('confirms a dangerous post', async () => {
    let nowMs = Date.now();
    await using console = await runConsole({ now: () => nowMs });
    const { at, authenticator } = await personWithPasskey(console);
    nowMs += 6 * 60_000;
    const draft = { email: 'new@example.org', role: 'viewer' };
    const asked = await at.post('/people/invite', draft);
    expect([asked.status, asked.text.includes('Confirm with a passkey')]).toEqual([400, true]);
    const made = await at.post('/people/invite', { ...draft, ...(await at.answer('confirm', authenticator)) });
    expect(made.status, made.text).toBe(200);
    expect(made.cookies.some((cookie) => cookie.includes('confirmed'))).toBe(true);
  });

  it('has a name that its owner changes', async () => {
    await using console = await runConsole();
    const { at } = await personWithPasskey(console);
    const id = idIn((await at.get('/account')).html);
    expect((await at.post(`/account/passkeys/${id}/name`, { name: ' ' })).text).toContain(
      'Must have 1 to 60 characters',
    );
    expect((await at.post(`/account/passkeys/${id}/name`, { name: 'Old laptop' })).status).toBe(303);
    expect((await at.get('/account')).text).toContain('Old laptop');
  });

  it('has a name that no other passkey of the person has', async () => {
    await using console = await runConsole();
    const { at } = await personWithPasskey(console);
    await at.add(softAuthenticator(), 'laptop');
    const page = await at.get('/account');
    expect(page.text).toContain('laptop 2');
    const taken = await at.post(`/account/passkeys/${idIn(page.html)}/name`, { name: 'Laptop 2' });
    expect([taken.status, taken.text]).toEqual([
      400,
      expect.stringContaining('is the name of another of your passkeys. Choose a different one'),
    ]);
  });

  it('is removed with the password and a code, or with another passkey', async () => {
    await using console = await runConsole();
    const { at, added, authenticator, password } = await personWithPasskey(console);
    const id = idIn((await at.get('/account')).html);
    const remove = `/account/passkeys/${id}/remove`;
    const [code = ''] = codesIn(added.html);
    expect((await at.post(remove, { password, code: '123456' })).status).toBe(400);
    expect((await at.post(remove, { password: 'not my password', code })).status).toBe(400);
    await expect(at.question('remove', { about: id })).rejects.toThrow('You have no passkey.');
    const phone = softAuthenticator();
    await at.add(phone, 'Phone');
    const gone = await at.post(remove, await at.answer('remove', phone, { about: id }));
    expect([gone.status, gone.headers['location']]).toEqual([303, '../../../account?notice=passkey-removed']);
    const stranger = passkeyBrowser(console);
    expect((await stranger.post('/sign-in', await stranger.answer('sign-in', authenticator))).status).toBe(401);

    const last = idIn((await at.get('/account')).html);
    expect((await at.post(`/account/passkeys/${last}/remove`, { password, code })).status).toBe(303);
    const page = (await at.get('/account')).text;
    expect(page).toContain('Two-factor authentication off');
  });

  it('an admin sees how many a person has, and their reset removes them', async () => {
    await using console = await runConsole();
    const { authenticator, userId, email, password } = await personWithPasskey(console);
    const { browser: admin } = await console.signIn('admin');
    expect((await admin.get(`/people/${userId}`)).text).toContain('Passkeys 1');
    await admin.post(`/people/${userId}/reset-two-factor`, {});
    const at = passkeyBrowser(console);
    expect((await at.post('/sign-in', await at.answer('sign-in', authenticator))).status).toBe(401);
    expect((await at.post('/sign-in', { email, password })).status).toBe(303);
  });

  it('an authenticator can be added beside passkeys and turned off again, and each sign-in goes on asking', async () => {
    await using console = await runConsole();
    const { at, userId, password } = await personWithPasskey(console);
    const account = console.registry.people.account(userId, '127.0.0.1');
    const { secret } = await account.setUpTwoFactor(password);
    const { Secret, TOTP } = await import('otpauth');
    const totp = new TOTP({ secret: Secret.fromBase32(secret.reveal()) });
    expect((await firstStep(passkeyBrowser(console), await emailOf(console, userId, password))).page.text).toContain(
      'One of your recovery codes, if',
    );
    const { recoveryCodes, user } = await account.enableTwoFactor(totp.generate());
    expect(user.two_factor).not.toHaveProperty('next_secret');
    const [code] = recoveryCodes;
    await account.disableTwoFactor(password, code?.reveal() ?? '');
    const { page } = await firstStep(at, await emailOf(console, userId, password));
    expect(page.text).toContain('Use a passkey');
  });

  it('is not offered where the console is reached by an IP address', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('viewer');
    expect((await console.browser().get('/sign-in')).text).not.toContain('passkey');
    expect((await browser.get('/account')).text).toContain('Browsers have no passkeys for an IP address.');
  });
});

async function emailOf({ registry }: RunningConsole, userId: string, password: string) {
  return { email: (await registry.people.usersOf('system:test').get(userId)).email, password };
}
