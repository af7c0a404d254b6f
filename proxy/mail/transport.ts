// The port to a mail server, and its implementation over SMTP.

import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { MailContent } from './mail.ts';

/** null: the server took the mail. `isFinal`: another try would fail too, as for an unknown recipient. */
export type SendFailure = { readonly message: string; readonly isFinal: boolean } | null;

export interface MailTransport {
  /** Never throws. */
  readonly send: (mail: MailContent & { readonly to: string; readonly id: string }) => Promise<SendFailure>;
}

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** true: TLS from the first byte (smtps). false: STARTTLS, if the server has it */
  readonly secure: boolean;
  readonly user: string | undefined;
  /** true: refuse a server without TLS; false on loopback and without credentials */
  readonly requiresTls: boolean;
  /** true: its certificate must be valid; false on loopback, where local servers have one that nobody signed */
  readonly verifiesCertificate: boolean;
}

export interface SmtpOptions {
  readonly server: SmtpServer;
  /** `Libretto <libretto@example.org>` */
  readonly from: string;
  /** read for each mail, since it may change; undefined: none is set */
  readonly password: () => Promise<Secret | undefined>;
  /** for one mail; default 60 s */
  readonly timeoutMs?: number;
}

const connectMs = 10_000;

export function createSmtpTransport({ server, from, password, timeoutMs = 60_000 }: SmtpOptions): MailTransport {
  return {
    send: async ({ to, id, subject, text, html }) => {
      const secret = server.user === undefined ? undefined : await password().catch(asError);
      if (secret instanceof Error) return { message: `${secret.message}.`, isFinal: false };
      const { createTransport } = await import('nodemailer'); // as large as half a server, and mails are rare
      const transport = createTransport(connectionTo(server, secret, timeoutMs));
      const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
      const messageId = `<${id}@${domainOf(from)}>`;
      try {
        // an address as an object is taken as it is, and never parsed as a list
        const sent = transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers,
          messageId,
        });
        await withinTime(sent, timeoutMs);
        return null;
      } catch (error) {
        return failureOf(error, server);
      } finally {
        transport.close();
      }
    },
  };
}

function connectionTo(server: SmtpServer, secret: Secret | undefined, timeoutMs: number): SMTPTransport.Options {
  const { host, port, secure, user, requiresTls, verifiesCertificate } = server;
  return {
    host,
    port,
    secure,
    requireTLS: requiresTls && !secure,
    tls: { rejectUnauthorized: verifiesCertificate },
    ...(user === undefined ? {} : { auth: { user, pass: secret?.reveal() ?? '' } }),
    connectionTimeout: Math.min(connectMs, timeoutMs),
    greetingTimeout: Math.min(connectMs, timeoutMs),
    socketTimeout: Math.min(30_000, timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function domainOf(from: string): string {
  return /@([A-Za-z0-9.-]+)>?$/.exec(from)?.[1] ?? 'localhost';
}

async function withinTime(sent: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    await Promise.race([sent, late]);
  } finally {
    clearTimeout(timer);
    sent.catch(() => undefined); // the race has its outcome
  }
}

type SmtpError = Error & { readonly code?: string; readonly responseCode?: number; readonly command?: string };

/**
 * Only a refused recipient and a refused content are final. A person repairs the rest: the credentials, the sender, the
 * certificate; so the mail waits.
 */
function failureOf(error: unknown, { host, port }: SmtpServer): SendFailure {
  const failed: SmtpError = asError(error);
  const { responseCode = 0, command = '', message } = failed;
  const isFinal =
    ['RCPT TO', 'DATA'].includes(command) && responseCode !== wantsCredentials && Math.floor(responseCode / 100) === 5;
  const reason = message.replaceAll(/[\s\p{Cc}]+/gu, ' ').slice(0, 300);
  return { message: `The mail server ${host}:${port} did not take the mail: ${reason}.${adviceFor(failed)}`, isFinal };
}

/** RFC 4954 §6 */
const wantsCredentials = 530;

function adviceFor({ code, responseCode, message }: SmtpError): string {
  if (code === 'EAUTH')
    return (
      ' Check the user and the password. The one in LIBRETTO_MAIL comes first; else store it with ' +
      '`libretto notify mail --password-stdin`.'
    );
  if (/wrong version number/i.test(message))
    return ' If it begins without TLS, as on port 587, write smtp:// in place of smtps://.';
  if (/Greeting never received/i.test(message))
    return ' If it expects TLS from the first byte, as on port 465, write smtps:// in place of smtp://.';
  if (/ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH/.test(message))
    return ' Check the host and the port in the setting `mail`, and whether the mail server runs.';
  if (responseCode === wantsCredentials)
    return (
      ' Name a user in the setting `mail`, as smtp://USER@HOST, and store the password: ' +
      '`libretto notify mail --password-stdin`.'
    );
  if (/certificate|self-signed/i.test(message))
    return (
      ' Use the name that its certificate is for. If an authority of your own signed it, name the file of that ' +
      'authority in NODE_EXTRA_CA_CERTS.'
    );
  return code === 'ETLS' || /STARTTLS/.test(message)
    ? ' Use a server with TLS, because the credentials must not be sent in clear.'
    : '';
}
