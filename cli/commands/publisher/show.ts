// `libretto publisher show`: one trusted publisher, and its last exchange.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describePublisher } from '../../text/publisher-text.ts';
import { runPublisherCommand } from './publisher-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runPublisherCommand(context, given, async ({ publishers, show, id, json }) => {
    const document = await show(await publishers.get(id));
    if (json) printJson(context.stdout, document);
    else printLines(context.stdout, describePublisher(document));
    return 0;
  });
}
