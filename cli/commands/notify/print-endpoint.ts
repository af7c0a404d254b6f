// Prints an endpoint that was made, and what a person should know of it. A secret stands alone on standard output, for
// scripts; everything else is a remark then.

import type {
  EndpointDocument,
  IssuedEndpointDocument,
} from '../../../proxy/notifications/endpoints/endpoint-schema.ts';
import type { EndpointServices } from '../../../proxy/notifications/operations.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printWarnings } from '../../io/output.ts';
import { runningServer } from '../../state/running-server.ts';
import { describeEndpoint } from '../../text/endpoint-text.ts';
import { warnOfUnmatchedPatterns } from '../token/unmatched-patterns.ts';
import type { OperationCommand } from '../operation-command.ts';

export type NotifyCommand = OperationCommand<EndpointServices>;

/** `isNew`: false after a rotation. */
export async function printIssued(
  { context, json, config }: NotifyCommand,
  issued: IssuedEndpointDocument,
  isNew: boolean,
): Promise<void> {
  const { stdout, summary, remarks } = context;
  const { id, secret, signature } = issued;
  if (json) printJson(stdout, issued);
  else {
    printLines(secret === null ? summary : remarks, describeEndpoint(issued));
    if (isNew) {
      const [sender = ''] = await senderSentence(config, context, 'events');
      printLines(remarks, ['', `${sender} Try it: \`libretto notify test ${id}\`.`.trim()]);
    }
    if (secret !== null) {
      const title =
        signature === 'v1'
          ? 'Secret (shown only once; enter it at the receiver now):'
          : 'Public key (the receiver verifies with it):';
      printLines(remarks, ['', title]);
      printLines(stdout, [secret]);
    }
  }
  if (secret !== null)
    await stdout.delivered(
      `The endpoint ${id} has a new secret, but it could not be printed. Make another one with ` +
        `\`libretto notify update ${id} --rotate --drop-old\`.`,
    );
}

/** `address`: the one on the command line, if the command got it there. */
export async function warnOf(
  { context, config, json }: NotifyCommand,
  { form, url, packages }: EndpointDocument,
  address: unknown,
): Promise<void> {
  if (address !== undefined && form !== 'standard')
    printWarnings(context.stderr, [
      'The address of a chat service is a secret, and other users of this machine can see the arguments of a command. ' +
        'Use --url-stdin or --url-file FILE instead; if others use this machine, make a new address.',
    ]);
  if (url.startsWith('http://') && !json)
    printLines(context.remarks, ['Events travel unencrypted to this http:// address. Use https:// if you can.']);
  if (config !== undefined) await warnOfUnmatchedPatterns(context, config, { packages, constraints: null });
}

/**
 * Says who sends `things`, such as `events`: commands store what is due, and a running server sends it. Nothing of a
 * remote registry, which runs.
 */
export async function senderSentence(
  config: Config | undefined,
  { now }: Pick<Context, 'now'>,
  things: string,
): Promise<readonly string[]> {
  if (config === undefined) return [];
  if (!config.features.value.includes('notifications'))
    return [
      `A server of this configuration sends no ${things}: it leaves out the feature notifications. Add it to ` +
        '"features" in libretto.json.',
    ];
  return (await runningServer(config, now())) === undefined
    ? [`No server runs now. A server sends ${things} as soon as it runs: \`libretto serve\`.`]
    : [`The running server sends ${things} within seconds.`];
}
