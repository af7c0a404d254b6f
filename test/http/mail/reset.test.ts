// Tests the link for a new password by mail (row 98): for whom there is one, how long it works, what it changes, and
// that nobody learns from it who has an account.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { sentMails, type SentMails } from '../../util/sent-mails.ts';
import { startMailServer, type MailServer } from '../../util/mail-server.ts';

const [minute, hour] = [60_000, 3_600_000];
const [old, fresh] = ['correct horse battery staple', 'another horse battery staple'];
const email = 'ada@example.org';

let server: MailServer;
let sent: SentMails;
let address = 0;
beforeEach(async () => {
  server = await startMailServer();
  sent = sentMails(`smtp://127.0.0.1:${server.port}`);
  await sent.people.usersOf('cli:test').create({ email, role: 'admin', password: old });
});
afterEach(async () => {
  expect(sent.errors).toEqual([]);
  await sent[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const login = (password: string) => sent.people.login({ email, password }, '192.0.2.1');
const accept = (code: string, password = fresh) => sent.people.acceptInvitation({ code, password }, '192.0.2.1');
/** From another network each time. */
const ask = (who = email): Promise<void> => sent.people.requestReset!(who, `198.51.${(address += 1)}.1`);
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 30));

/** The code of the newest mail. */
async function linkAfter(asking: Promise<void>): Promise<string> {
  await asking;
  await settled();
  await sent.look();
  return /\/ui\/invitation\?code=(inv_\w+)/.exec(server.mails.at(-1)?.text ?? '')?.[1] ?? '';
}

it('the link works once, until then the old password works, and afterwards all sessions end', async () => {
  await login(old);
  const code = await linkAfter(ask());
  expect(server.mails).toMatchObject([{ to: [email], subject: 'A new password for packages.test' }]);
  expect(await sent.people.isInvitationCode(code)).toBe(true);
  await login(old);
  const { user } = await login(old);
  expect(await sent.people.sessions.list(user.id)).toHaveLength(3);
  await accept(code);
  expect(await sent.people.sessions.list(user.id)).toEqual([]);
  await login(fresh);
  await expect(login(old)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  await expect(accept(code, old)).rejects.toMatchObject({ code: 'INVITATION_INVALID' });
});

it('a name that people gave the registry stands in the mail, beside the address of the link', async () => {
  const puts = [{ key: 'setting/branding.name', value: 'Acme packages' }];
  await sent.state.commit({ conditions: [], puts, deletes: [] });
  await linkAfter(ask());
  const [mail] = server.mails;
  expect(mail?.subject).toBe('A new password for Acme packages');
  expect(mail?.text).toMatch(/your account at Acme packages\..*https:\/\/packages\.test\/ui.*-- \nAcme packages/s);
});

it('the link ends after one hour, and with a newer one', async () => {
  const first = await linkAfter(ask());
  sent.pass(hour - 1);
  expect(await sent.people.isInvitationCode(first)).toBe(true);
  sent.pass(1);
  await expect(accept(first)).rejects.toMatchObject({ code: 'INVITATION_INVALID' });
  const second = await linkAfter(ask());
  const third = await linkAfter(ask());
  expect(new Set([first, second, third]).size).toBe(3);
  await expect(accept(second)).rejects.toMatchObject({ code: 'INVITATION_INVALID' });
  await accept(third);
});

it('the link ends when the person chooses another password or is disabled', async () => {
  const { people } = sent;
  const { record } = await people
    .usersOf('cli:test')
    .create({ email: 'eve@example.org', role: 'viewer', password: old });
  const code = await linkAfter(ask('eve@example.org'));
  await people.usersOf('cli:test').update(record.id, { status: 'disabled' });
  await expect(accept(code)).rejects.toMatchObject({ code: 'INVITATION_INVALID' });
  server.forget();
  expect(await linkAfter(ask('eve@example.org'))).toBe('');
});

it('only active accounts get a mail, and the answer is the same for everybody', async () => {
  const users = sent.people.usersOf('cli:test');
  await users.create({ email: 'new@example.org', role: 'viewer' });
  await sent.look();
  server.forget();
  const eve = await users.create({ email: 'eve@example.org', role: 'viewer', password: old });
  await users.update(eve.record.id, { status: 'disabled' });
  const answers: unknown[] = [];
  for (const who of [email, 'nobody@example.org', 'new@example.org', 'eve@example.org', 'no address at all', ''])
    answers.push(await ask(who).catch((error: unknown) => error));
  expect(new Set(answers)).toEqual(new Set([undefined]));
  await settled();
  await sent.look();
  expect(server.mails.flatMap(({ to }) => to)).toEqual([email]);
});

it('the answer comes before anything is looked up that depends on the account', async () => {
  const read: string[] = [];
  const { state } = sent;
  const reading = state.get;
  Object.assign(state, { get: (key: string) => (read.push(key), reading(key)) });
  const keysUntilAnswer = async (who: string): Promise<readonly string[]> => {
    read.length = 0;
    await ask(who);
    const families = read.map((key) => key.split('/').slice(0, 2).join('/'));
    await settled();
    return families.filter((key) => !key.startsWith('user'));
  };
  const known = await keysUntilAnswer(email);
  const unknown = await keysUntilAnswer('nobody@example.org');
  expect(known.slice(0, unknown.length)).toEqual(unknown);
});

it('requests are limited for one address of mail, in any spelling, with or without an account', async () => {
  for (const who of [email, 'nobody@example.org']) {
    const spellings = [who, ` ${who} `, who.toUpperCase()];
    for (const spelling of spellings) await ask(spelling);
    await expect(ask(who), who).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
    await expect(ask(`${who} `), who).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
  }
  await settled();
  await sent.look();
  expect(server.mails).toHaveLength(3);
  sent.pass(5 * minute);
  await ask();
  await expect(ask()).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
});

it('requests are limited for one network', async () => {
  for (let at = 0; at < 10; at += 1) await sent.people.requestReset!(`p${at}@example.org`, '203.0.113.7');
  await expect(sent.people.requestReset!('q@example.org', '203.0.113.7')).rejects.toMatchObject({
    code: 'TOO_MANY_ATTEMPTS',
  });
  await sent.people.requestReset!('q@example.org', '203.0.114.7');
  // a login from there is another matter
  await sent.people.login({ email, password: old }, '203.0.113.7');
});

it('a link that could not be sent in its hour is not sent later', async () => {
  server.misbehave({ code: 451, message: 'later' });
  await ask();
  await settled();
  await sent.look();
  expect(await sent.waiting()).toMatchObject([{ kind: 'reset', failures: 1 }]);
  server.misbehave('none');
  sent.pass(hour);
  await sent.look();
  expect([server.mails, await sent.waiting(), sent.dropped]).toEqual([[], [], ['it could not be sent in time']]);
});

it('without a mail server there is no such link, and an admin still gets a link to hand over', async () => {
  const without = sentMails(undefined);
  expect(without.people.requestReset).toBeUndefined();
  const { invitation } = await without.people.usersOf('cli:test').create({ email, role: 'viewer' });
  expect(await without.people.isInvitationCode(invitation!.code.reveal())).toBe(true);
  expect(await without.waiting()).toEqual([]);
  await without[Symbol.asyncDispose]();
});
