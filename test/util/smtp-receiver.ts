// A mail server on a real socket (npm smtp-server). It keeps each mail, checks the password, and refuses as the test
// says.

import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** the headers and the body, as they came */
  readonly source: string;
}

export interface SmtpReceiver extends AsyncDisposable {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly mails: readonly ReceivedMail[];
  /** the answer to all later recipients, such as `550`; undefined: they are taken */
  readonly refuse: (status: number | undefined) => void;
}

/** `login`: the only user that may send; undefined: everybody may. */
export async function startSmtpReceiver(login?: {
  readonly user: string;
  readonly password: string;
}): Promise<SmtpReceiver> {
  const mails: ReceivedMail[] = [];
  let refusal: number | undefined;
  const server = new SMTPServer({
    // credentials travel in clear on loopback only
    allowInsecureAuth: true,
    authOptional: login === undefined,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      if (login !== undefined && username === login.user && password === login.password) done(null, { user: username });
      else done(new Error('Invalid user or password'));
    },
    onRcptTo: (_address, _session, done) => {
      if (refusal === undefined) return done();
      return done(Object.assign(new Error('No such mailbox'), { responseCode: refusal }));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    mails,
    refuse: (status) => void (refusal = status),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
