// `libretto notify deliveries`: lists the deliveries of an endpoint, or has a running server send some of them again.

import { RegistryError } from '../../../build/contract/errors.ts';
import { listDeliveries, type ReplayRange } from '../../../proxy/notifications/deliveries/list-deliveries.ts';
import { deliveryDocument } from '../../../proxy/notifications/endpoints/endpoint-document.ts';
import type { EndpointRecord } from '../../../proxy/notifications/model/endpoint.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { instantFlag } from '../../io/instant-flag.ts';
import { counted, printJson, printLines, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { describeDeliveries } from '../../text/endpoint-text.ts';
import { runNotifyCommand, type NotifyCommand } from './notify-command.ts';
import { describeSender } from './describe-sender.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const { flags } = given;
  const limit = flags['limit'] === undefined ? 20 : parseWholeNumber(flags['limit'], 1, 10_000);
  if (limit === undefined)
    throw new UsageError(`--limit is ${JSON.stringify(flags['limit'])}; allowed: a whole number from 1 to 10000.`);
  const range = rangeOf(flags);
  return runNotifyCommand(
    context,
    given,
    async (command) => {
      const record = await command.endpoints.get(command.id);
      const replayed = range === undefined ? null : await replay(command, record, range);
      const { deliveries } = await listDeliveries(command.state, record.id, { limit });
      const documents = deliveries.map(deliveryDocument);
      if (command.json) printJson(context.stdout, { endpoint: record.id, replayed, deliveries: documents });
      else if (replayed === null) printLines(context.stdout, describeDeliveries(documents));
      else await sayReplayed(command, replayed);
      if (replayed !== null && record.disabled !== null)
        printWarnings(context.stderr, [
          `The endpoint is disabled, so that nothing is sent. Enable it: \`libretto notify update ${record.id} --enable\`.`,
        ]);
      return 0;
    },
    { changes: range !== undefined },
  );
}

/** undefined: nothing is sent again. Throws UsageError. */
function rangeOf(flags: CommandInput['flags']): ReplayRange | undefined {
  const text = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const event = text('replay');
  const sinceMs = instantFlag('replay-since', text('replaySince'));
  const untilMs = instantFlag('replay-until', text('replayUntil'));
  if (untilMs !== undefined && sinceMs === undefined)
    throw new UsageError('--replay-until belongs to --replay-since, which names the beginning.');
  if (event !== undefined && sinceMs !== undefined)
    throw new UsageError('Use --replay for one event, or --replay-since for a range of time: not both.');
  if (sinceMs !== undefined && untilMs !== undefined && untilMs < sinceMs)
    throw new UsageError('--replay-until is before --replay-since. Name a later time.');
  return event === undefined && sinceMs === undefined ? undefined : { event, sinceMs, untilMs };
}

/** The number of deliveries that are due now. */
async function replay({ notifying, context }: NotifyCommand, { id }: EndpointRecord, range: ReplayRange) {
  return notifying
    .replayOf(context.actor)(id, range)
    .catch((error: unknown) => {
      if (!(error instanceof RegistryError) || error.code !== 'NOT_FOUND') throw error;
      throw new UsageError(`${error.message} \`libretto notify deliveries ${id}\` lists them.`, { cause: error });
    });
}

async function sayReplayed({ context, config }: NotifyCommand, replayed: number): Promise<void> {
  if (replayed === 0) return printLines(context.summary, ['No delivery is of this time. Nothing is sent again.']);
  printLines(context.summary, [`${counted(replayed, 'delivery is', 'deliveries are')} due now.`]);
  printLines(context.remarks, [await describeSender(config, context, 'deliveries')]);
}
