// Tests the queue of mails with a clock of its own and a real mail server (row 97): mails that are put off, refused or
// in vain, and the notices of tokens that end.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectExpiring } from '../../../proxy/notifications/collect/registry-events.ts';
import { startMailServer, type MailServer } from '../../util/mail-server.ts';
import { sentMails, type SentMails } from '../../util/sent-mails.ts';

const [minute, day] = [60_000, 86_400_000];
const password = 'correct horse battery staple';

let server: MailServer;
let sent: SentMails;
beforeEach(async () => {
  server = await startMailServer();
  sent = sentMails(`smtp://127.0.0.1:${server.port}`);
});
afterEach(async () => {
  expect(sent.errors).toEqual([]);
  await sent[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const invite = (email: string) => sent.people.usersOf('cli:test').create({ email, role: 'viewer' });

describe('a mail', () => {
  it('that a greylisting server puts off is sent some minutes later, once', async () => {
    server.misbehave({ code: 451, message: 'greylisted, try again in five minutes' });
    await invite('eve@example.org');
    await sent.look();
    expect(await sent.status()).toMatchObject({ sent_at: null, error: expect.stringContaining('451') as string });
    for (let at = 0; at < 10; at += 1) {
      if (at === 5) server.misbehave('none');
      sent.pass(minute);
      await sent.look();
    }
    expect(server.mails.map(({ to }) => to)).toEqual([['eve@example.org']]);
    // after 1 minute, and 3 more
    expect(server.asked).toHaveLength(4);
    expect([await sent.waiting(), sent.dropped]).toEqual([[], []]);
  });

  it('to a recipient who does not exist is dropped with the reason, and holds up no other one', async () => {
    server.misbehave({ code: 550, message: 'no such user' }, 'gone@example.org');
    await invite('gone@example.org');
    await invite('eve@example.org');
    await sent.look();
    expect(server.mails.map(({ to }) => to)).toEqual([['eve@example.org']]);
    expect(sent.dropped).toEqual([expect.stringContaining('550 no such user')]);
    expect(await sent.waiting()).toEqual([]);
  });

  it('waits while the password is wrong or the server is away, and is sent when that is repaired', async () => {
    await using locked = await startMailServer({ account: { user: 'ada', password: 'right' } });
    await using wrong = sentMails(`smtp://ada:wrong@127.0.0.1:${locked.port}`);
    await wrong.people.usersOf('cli:test').create({ email: 'eve@example.org', role: 'viewer' });
    for (let at = 0; at < 8; at += 1) {
      await wrong.look();
      wrong.pass(30 * minute);
    }
    const [mail] = await wrong.waiting();
    expect(mail!.failures).toBeGreaterThan(4);
    expect(wrong.dropped).toEqual([]);
    expect(await wrong.status()).toMatchObject({ error: expect.stringContaining('libretto notify mail') as string });
    expect(JSON.stringify(await wrong.state.range(''))).not.toContain('ada:wrong');
  });

  it('that waits reveals nothing of its content in the state', async () => {
    const { invitation } = await invite('eve@example.org');
    const rows = JSON.stringify(await sent.state.range('mail-'));
    expect(rows).not.toContain(invitation!.code.reveal());
    expect(rows).not.toContain('Hello');
  });

  it('is sent when the server hangs on the one before it', async () => {
    server.misbehave('hangs', 'slow@example.org');
    await invite('slow@example.org');
    await invite('eve@example.org');
    await sent.look();
    expect(server.mails.map(({ to }) => to)).toEqual([['eve@example.org']]);
    expect(await sent.waiting()).toMatchObject([{ to: 'slow@example.org', failures: 1 }]);
  });
});

describe('a token that ends', () => {
  it('is announced 14 days and 2 days before, each once, to the person who made it', async () => {
    const users = sent.people.usersOf('cli:test');
    const admin = await users.create({ email: 'admin@example.org', role: 'admin', password });
    const maker = await users.create({ email: 'kay@example.org', role: 'maintainer', password });
    await collectExpiring(sent.collecting);
    const inDays = (days: number): Date => new Date(sent.nowMs() + days * day);
    const name = 'CI <b>"x"</b>';
    await sent.tokensOf(`user:${maker.record.id}`).create({ kind: 'read', description: name, expiresAt: inDays(30) });
    await sent.tokensOf('cli:ops').create({ kind: 'read', description: 'nightly', expiresAt: inDays(20) });
    await sent.tokensOf(`user:${admin.record.id}`).create({ kind: 'read', description: 'short', expiresAt: inDays(1) });
    const told: string[] = [];
    for (let at = 0; at <= 31; at += 1) {
      await collectExpiring(sent.collecting);
      await collectExpiring(sent.collecting);
      await sent.look();
      told.push(...server.mails.map(({ to, text }) => `${at} ${to.join()} ${/“(.*)”/.exec(text)?.[1] ?? ''}`));
      for (const { html } of server.mails) expect(html).not.toContain('<b>');
      server.forget();
      sent.pass(day);
    }
    expect(told).toEqual([
      '6 admin@example.org nightly',
      `16 kay@example.org ${name}`,
      '18 admin@example.org nightly',
      `28 kay@example.org ${name}`,
    ]);
  });
});
