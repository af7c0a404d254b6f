// `libretto token show ID`

import type { Context } from '../context.ts';
import { printJson, printLines } from '../output.ts';
import type { Given } from '../command.ts';
import { runTokenCommand } from '../token-command.ts';
import { describeToken } from '../token-text.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runTokenCommand(context, given, async ({ tokens, id, json, show }) => {
    const document = await show(await tokens.get(id));
    if (json) printJson(context.stdout, document);
    else printLines(context.stdout, describeToken(document));
  });
}
