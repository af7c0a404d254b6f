// `libretto token list`: all of them, the revoked and expired ones too.

import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { runTokenCommand } from './token-command.ts';
import { describeTokens } from '../../text/token-text.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTokenCommand(context, given, async ({ tokens, json, showAll }) => {
    const documents = await showAll(await tokens.list());
    if (json) printJson(context.stdout, { tokens: documents });
    else if (documents.length > 0) printLines(context.stdout, describeTokens(documents));
    else
      printLines(context.remarks, [
        'There is no token yet. Create one with `libretto token create --description TEXT`.',
      ]);
  });
}
