// Tests the port to a mail server against real ones (rows 97 and 99): encryption, credentials, and servers that refuse,
// hang or leave.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../build/shared/text/secret.ts';
import { parseMailServer } from '../../../cli/config/mail-settings.ts';
import { composeMail } from '../../../proxy/mail/mail-content.ts';
import { createSmtpTransport, type SendFailure } from '../../../proxy/mail/transport.ts';
import { createAuthority, type Authority, type MadeCertificate } from '../../util/certificate.ts';
import { startMailServer, type MailServer, type MailServerOptions } from '../../util/mail-server.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';
import { lacks } from '../../util/tool.ts';

let server: MailServer | undefined;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});
const start = async (options?: MailServerOptions): Promise<MailServer> => (server = await startMailServer(options));

/** `login`: `USER:PASSWORD@`. */
function send(
  { port }: MailServer,
  {
    login = '',
    scheme = 'smtp',
    to = 'eve@example.org',
    host = '127.0.0.1',
    from = 'Libretto <libretto@example.org>',
    timeoutMs = 60_000,
  } = {},
): Promise<SendFailure> {
  const parsed = parseMailServer(`${scheme}://${login}${host}:${port}`)!;
  const content = composeMail({ subject: 'A test', paragraphs: ['Hello,'], footer: [] }, 'packages.test');
  const options = { server: parsed, from, password: async () => parsed.password, timeoutMs };
  return createSmtpTransport(options).send({ ...content, to, id: 'mail_0000000000000000' });
}

describe('a mail server', () => {
  it('gets a mail with a text and a page, from the configured sender', async () => {
    const { mails } = await start();
    expect(await send(server!)).toBeNull();
    expect(mails).toMatchObject([{ from: 'libretto@example.org', to: ['eve@example.org'], subject: 'A test' }]);
    expect(mails[0]!.headers).toMatchObject({
      from: ['Libretto <libretto@example.org>'],
      'message-id': ['<mail_0000000000000000@example.org>'],
      'auto-submitted': ['auto-generated'],
    });
    expect(mails[0]!.text).toContain('Hello,');
    expect(mails[0]!.html).toContain('<p style="margin:0 0 14px">Hello,</p>');
  });

  it.each<[string, Parameters<MailServer['misbehave']>[0], boolean, RegExp]>([
    ['puts a mail off', { code: 451, message: 'greylisted' }, false, /451 .*greylisted/],
    ['refuses a recipient', { code: 550, message: 'no such user' }, true, /550 .*no such user/],
    ['wants credentials', { code: 530, message: 'sign in first' }, false, /530 .*libretto notify mail/],
    ['hangs', 'hangs', false, /did not answer within 0.5 s/],
    ['closes the connection', 'closes', false, /closed/],
  ])('that %s', async (_what, how, isFinal, message) => {
    (await start()).misbehave(how);
    const failure = await send(server!, how === 'hangs' ? { timeoutMs: 500 } : {});
    expect(failure).toMatchObject({ isFinal, message: expect.stringMatching(message) as string });
    expect(failure!.message).toContain(`127.0.0.1:${server!.port}`);
    server!.misbehave('none');
    expect(await send(server!)).toBeNull();
  });

  it('that is not there, and one that refuses the sender, may take the mail later', async () => {
    const gone = await startMailServer();
    await gone[Symbol.asyncDispose]();
    expect(await send(gone)).toMatchObject({ isFinal: false, message: expect.stringMatching(/REFUSED/i) as string });
    expect(await send(await start({ account: { user: 'a', password: 'b' } }))).toMatchObject({
      isFinal: false,
      message: expect.stringMatching(/530 .*libretto notify mail/) as string,
    });
  });

  it('that refuses the password keeps the mail, and the message says what to do', async () => {
    await start({ account: { user: 'ada', password: 'right' } });
    expect(await send(server!, { login: 'ada:wrong@' })).toMatchObject({
      isFinal: false,
      message: expect.stringMatching(
        /Check the user and the password.*store it with `libretto notify mail --password-stdin`/,
      ) as string,
    });
    expect(await send(server!, { login: 'ada:right@' })).toBeNull();
    expect(server!.mails[0]!.user).toBe('ada');
  });

  it('gets an address as it is, and no list, group or header in its place', async () => {
    await start();
    for (const to of ['a,b@example.org', 'eve@example.org>', 'x@example.org\r\nBcc: y@example.org']) {
      server!.forget();
      await send(server!, { to });
      expect(server!.mails.flatMap((mail) => mail.to).filter((one) => !to.includes(one.replaceAll('"', '')))).toEqual(
        [],
      );
      for (const mail of server!.mails) expect(mail.headers).not.toHaveProperty('bcc');
      expect(server!.asked).not.toContain('y@example.org');
      expect(server!.asked).not.toContain('b@example.org');
    }
  });
});

describe.skipIf(lacks('openssl'))('encryption', () => {
  let folder: TemporaryFolder;
  let authority: Authority;
  let certificate: MadeCertificate;
  beforeAll(() => {
    folder = temporaryFolder('mail-tls');
    authority = createAuthority(folder.path);
    certificate = authority.issue('mail');
  });
  afterAll(() => folder.remove());

  it('is used where the server of this machine offers it, whoever made its certificate', async () => {
    await start({ certificate, account: { user: 'ada', password: 'right' } });
    expect(await send(server!, { login: 'ada:right@' })).toBeNull();
    expect(server!.mails).toMatchObject([{ secure: true, user: 'ada' }]);
  });

  it('from the first byte works too', async () => {
    await start({ certificate, secure: true });
    expect(await send(server!, { scheme: 'smtps' })).toBeNull();
    expect(server!.mails).toMatchObject([{ secure: true }]);
  });

  it('by another machine needs a certificate that this one trusts', async () => {
    await start({ certificate });
    const parsed = { ...parseMailServer(`smtp://ada:x@mail.test:${server!.port}`)!, host: 'localhost' };
    const content = { subject: 'x', text: 'x', html: 'x', to: 'eve@example.org', id: 'mail_0' };
    const transport = createSmtpTransport({
      server: parsed,
      from: 'a@example.org',
      password: async () => new Secret('x'),
    });
    const failure = await transport.send(content);
    expect(failure).toMatchObject({ isFinal: false, message: expect.stringMatching(/certificate/) as string });
    expect(failure!.message).toMatch(/NODE_EXTRA_CA_CERTS/);
    expect(server!.mails).toEqual([]);
  });

  it('is demanded before credentials go to another machine', async () => {
    await start({ account: { user: 'ada', password: 'x' } });
    const parsed = { ...parseMailServer(`smtp://ada:x@mail.test:${server!.port}`)!, host: 'localhost' };
    const transport = createSmtpTransport({
      server: parsed,
      from: 'a@example.org',
      password: async () => new Secret('x'),
    });
    const failure = await transport.send({ subject: 'x', text: 'x', html: 'x', to: 'eve@example.org', id: 'mail_0' });
    expect(failure).toMatchObject({
      isFinal: false,
      message: expect.stringMatching(/Use a server with TLS/) as string,
    });
    expect(server!.mails).toEqual([]);
  });
});
