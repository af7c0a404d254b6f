// A mail server on a real socket. It keeps the mails that it takes, and fails as the test says.

import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { MadeCertificate } from './certificate.ts';
import { readMail, type ReadMail } from './read-mail.ts';

export interface ReceivedMail extends ReadMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** true: it came over TLS */
  readonly secure: boolean;
  /** who signed in; undefined: nobody */
  readonly user: string | undefined;
}

/** What the server does wrong; `code` is the answer to a recipient. */
export type Misbehaviour = 'none' | 'hangs' | 'closes' | { readonly code: number; readonly message: string };

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** recipients that were named, also in vain */
  readonly asked: readonly string[];
  readonly misbehave: (how: Misbehaviour, onlyFor?: string) => void;
  /** Forgets the mails. */
  readonly forget: () => void;
}

export interface MailServerOptions {
  /** offers STARTTLS, or begins with TLS */
  readonly certificate?: MadeCertificate;
  /** true: TLS from the first byte */
  readonly secure?: boolean;
  /** who must sign in; left out: nobody may */
  readonly account?: { readonly user: string; readonly password: string };
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const asked: string[] = [];
  let [how, onlyFor]: [Misbehaviour, string | undefined] = ['none', undefined];
  const server = new SMTPServer({
    ...securityOf(options),
    authOptional: options.account === undefined,
    onAuth: ({ username, password }, _session, done) =>
      username === options.account?.user && password === options.account?.password
        ? done(null, { user: username })
        : done(Object.assign(new Error('wrong credentials'), { responseCode: 535 })),
    onRcptTo: ({ address }, _session, done) => {
      asked.push(address);
      if (how === 'none' || (onlyFor !== undefined && onlyFor !== address)) return done();
      if (how === 'closes') for (const one of server.connections) (one as Connection)._socket.destroy();
      if (how === 'hangs' || how === 'closes') return;
      done(Object.assign(new Error(how.message), { responseCode: how.code }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('end', () => {
        mails.push(receivedMail(Buffer.concat(chunks).toString('utf8'), session));
        done();
      });
    },
  });
  return {
    port: await listen(server),
    mails,
    asked,
    misbehave: (next, recipient) => void ([how, onlyFor] = [next, recipient]),
    forget: () => void ([mails.length, asked.length] = [0, 0]),
    [Symbol.asyncDispose]: async () => {
      for (const one of server.connections) (one as Connection)._socket.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function listen(server: SMTPServer): Promise<number> {
  server.on('error', () => undefined); // a client that leaves
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.server.address() as AddressInfo).port;
}

function receivedMail(raw: string, { envelope, secure, user }: SMTPServerSession): ReceivedMail {
  const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
  return { ...readMail(raw), raw, from, to: envelope.rcptTo.map(({ address }) => address), secure, user };
}

interface Connection {
  readonly _socket: { readonly destroy: () => void };
}

function securityOf({ certificate, secure = false, account }: MailServerOptions): SMTPServerOptions {
  const disabled = [...(certificate === undefined ? ['STARTTLS'] : []), ...(account === undefined ? ['AUTH'] : [])];
  return {
    ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
    secure,
    allowInsecureAuth: certificate === undefined,
    disabledCommands: disabled,
    disableReverseLookup: true,
    logger: false,
  };
}
