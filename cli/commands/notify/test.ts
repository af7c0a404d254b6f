// `libretto notify test`: sends a test to an endpoint, or a mail through the mail server, now and once. Exit code 1: it
// did not arrive.

import { parseEmail } from '../../../proxy/auth/email.ts';
import { sendTestMail } from '../../../proxy/mail/test-mail.ts';
import { deliveryDocument } from '../../../proxy/notifications/endpoints/endpoint-document.ts';
import { composeMailing } from '../../compose/mailing.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printProblems } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { describeResult } from '../../text/endpoint-text.ts';
import { assertMailServer } from './mail-server.ts';
import { runNotifyCommand, type NotifyCommand } from './notify-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const address = given.flags['mail'];
  if ((given.operands[0] === undefined) === (address === undefined))
    throw new UsageError('Name one thing to test: an endpoint by its id, or an e-mail address with --mail ADDRESS.');
  return runNotifyCommand(
    context,
    given,
    (command) => (address === undefined ? testEndpoint(command) : testMail(command, String(address))),
    { changes: true },
  );
}

async function testEndpoint({ context, endpoints, notifying, id, json }: NotifyCommand): Promise<number> {
  const record = await endpoints.get(id);
  const delivery = deliveryDocument(await notifying.testEndpoint(record.id));
  const isDelivered = delivery.state === 'delivered';
  const text = `The test of ${record.name} (${record.shown_url}): ${describeResult(delivery)}`;
  if (json) printJson(context.stdout, delivery);
  else if (isDelivered) printLines(context.summary, [`${text}.`]);
  if (!isDelivered) printProblems(context.stderr, [text]);
  if (record.disabled !== null && !json)
    printLines(context.remarks, [
      `The endpoint is disabled: only tests are sent. \`libretto notify update ${record.id} --enable\` enables it.`,
    ]);
  return isDelivered ? 0 : 1;
}

async function testMail({ context, config, state, sealer, json }: NotifyCommand, address: string): Promise<number> {
  const to = parseEmail(address);
  if (to === undefined)
    throw new UsageError(
      `--mail is ${JSON.stringify(address.slice(0, 80))}; allowed: an address such as ada@example.org.`,
    );
  const server = assertMailServer(config);
  const mailing = composeMailing(config, context, { state, sealer });
  if (mailing === undefined) throw new Error('the mail server was configured a moment ago');
  const { transport, registry } = mailing;
  const { randomBytes, now } = context;
  const failure = await sendTestMail({ state, transport, registry, randomBytes, now: () => now().getTime() }, to);
  const error = failure?.message ?? null;
  if (json) printJson(context.stdout, { to, sent: error === null, error });
  else if (error === null)
    printLines(context.summary, [`The mail server ${server.address} took the test mail to ${to}.`]);
  if (error !== null) printProblems(context.stderr, [`The test mail to ${to} was not sent. ${error}`]);
  return error === null ? 0 : 1;
}
