// `libretto publisher list`: all trusted publishers.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describePublishers } from '../../text/publisher-text.ts';
import { runPublisherCommand } from './publisher-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runPublisherCommand(context, given, async ({ publishers, show, json }) => {
    const documents = await Promise.all((await publishers.list()).map(show));
    if (json) printJson(context.stdout, { publishers: documents });
    else if (documents.length > 0) printLines(context.stdout, describePublishers(documents));
    else
      printLines(context.remarks, [
        'There is no trusted publisher. `libretto publisher add --help` shows how to add one.',
      ]);
    return 0;
  });
}
