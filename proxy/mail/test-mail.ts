// The test of the mail server: one mail that says that it is a test, sent at once and not again. Its outcome is that of
// the last mail, for people and for `libretto doctor`.

import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { composeMail } from './mail-content.ts';
import { noteOutcome } from './mail-sender.ts';
import type { MailTransport, SendFailure } from './transport.ts';

export interface TestMailParts {
  readonly state: StateStore;
  readonly transport: MailTransport;
  /** the name of the registry, for the head of the mail */
  readonly registry: string;
  readonly randomBytes: RandomBytes;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** `to`: an e-mail address. */
export async function sendTestMail(parts: TestMailParts, to: string): Promise<SendFailure> {
  const { transport, registry, randomBytes } = parts;
  const content = composeMail(
    {
      subject: `A test of ${registry}`,
      paragraphs: ['Hello,', `the package registry ${registry} can send mails to you.`],
      footer: [`You get this mail because an admin of ${registry} tested its mail server.`],
    },
    registry,
  );
  const failure = await transport.send({ ...content, to, id: `mail_${randomBase62(16, randomBytes)}` });
  while (!(await noteOutcome(parts, failure)));
  return failure;
}
