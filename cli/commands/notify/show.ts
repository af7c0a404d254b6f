// `libretto notify show`: one endpoint, and its last deliveries.

import { listDeliveries } from '../../../proxy/notifications/deliveries/list-deliveries.ts';
import { deliveryDocument } from '../../../proxy/notifications/endpoints/endpoint-document.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeDeliveries, describeEndpoint } from '../../text/endpoint-text.ts';
import { runNotifyCommand } from './notify-command.ts';

const shown = 10;

export function run(context: Context, given: CommandInput): Promise<number> {
  return runNotifyCommand(context, given, async ({ endpoints, state, show, id, json }) => {
    const record = await endpoints.get(id);
    const { deliveries, next } = await listDeliveries(state, record.id, { limit: shown });
    const [document, documents] = [await show(record), deliveries.map(deliveryDocument)];
    if (json) printJson(context.stdout, { ...document, deliveries: documents });
    else {
      printLines(context.stdout, [...describeEndpoint(document), '', ...describeDeliveries(documents)]);
      if (next !== null)
        printLines(context.remarks, ['', `\`libretto notify deliveries ${record.id}\` lists more of them.`]);
    }
    return 0;
  });
}
