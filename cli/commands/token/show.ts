// `libretto token show ID`

import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { runTokenCommand } from './token-command.ts';
import { describeToken } from '../../text/token-text.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTokenCommand(context, given, async ({ tokens, id, json, show }) => {
    const document = await show(await tokens.get(id));
    if (json) printJson(context.stdout, document);
    else printLines(context.stdout, describeToken(document));
  });
}
