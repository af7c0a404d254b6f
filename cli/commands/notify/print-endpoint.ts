// Prints an endpoint that was made or changed. A secret stands alone on standard output, for scripts; everything else is
// a remark then.

import type { Secret } from '../../../build/shared/text/secret.ts';
import type { IssuedEndpoint } from '../../../proxy/notifications/endpoints/endpoints.ts';
import type { EndpointRecord } from '../../../proxy/notifications/model/endpoint.ts';
import { printJson, printLines, printWarnings, revealSecret } from '../../io/output.ts';
import { describeEndpoint } from '../../text/endpoint-text.ts';
import { warnOfUnmatchedPatterns } from '../token/unmatched-patterns.ts';
import type { NotifyCommand } from './notify-command.ts';
import { describeSender } from './describe-sender.ts';

/** `isNew`: false after a rotation. */
export async function printIssued(
  command: NotifyCommand,
  { record, secret }: IssuedEndpoint,
  isNew: boolean,
): Promise<void> {
  const { context, json, config, show } = command;
  const { stdout, summary, remarks } = context;
  const document = await show(record);
  if (json) printJson(stdout, { ...document, secret: secret === undefined ? null : revealSecret(secret) });
  else {
    printLines(secret === undefined ? summary : remarks, describeEndpoint(document));
    const end = isNew ? await describeSender(config, context, 'events') : undefined;
    printLines(remarks, end === undefined ? [] : ['', `${end} Try it: \`libretto notify test ${record.id}\`.`]);
    if (secret !== undefined) printSecret(command, record, secret);
  }
  if (secret !== undefined)
    await stdout.delivered(
      `The endpoint ${record.id} has a new secret, but it could not be printed. Make another one with ` +
        `\`libretto notify update ${record.id} --rotate --drop-old\`.`,
    );
}

function printSecret(
  { context: { stdout, remarks } }: NotifyCommand,
  { scheme }: EndpointRecord,
  secret: Secret,
): void {
  const title =
    scheme === 'v1'
      ? 'Secret (shown only once; enter it at the receiver now):'
      : 'Public key (the receiver verifies with it):';
  printLines(remarks, ['', title]);
  printLines(stdout, [revealSecret(secret)]);
}

export async function printChanged({ context, json, show }: NotifyCommand, record: EndpointRecord): Promise<void> {
  const document = await show(record);
  if (json) printJson(context.stdout, document);
  else printLines(context.summary, describeEndpoint(document));
}

/** `address`: the one on the command line, if the command got it there. */
export async function warnOf(
  { context, config, json }: NotifyCommand,
  record: EndpointRecord,
  address: unknown,
): Promise<void> {
  if (address !== undefined && record.form !== 'standard')
    printWarnings(context.stderr, [
      'The address of a chat service is a secret, and other users of this machine can see the arguments of a command. ' +
        'Use --url-stdin or --url-file FILE instead; if others use this machine, make a new address.',
    ]);
  if (record.shown_url.startsWith('http://') && !json)
    printLines(context.remarks, ['Events travel unencrypted to this http:// address. Use https:// if you can.']);
  await warnOfUnmatchedPatterns(context, config, { packages: record.packages, constraints: null });
}
