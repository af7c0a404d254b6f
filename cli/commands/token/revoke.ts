// `libretto token revoke ID`: for good. Revoking again changes nothing, says so, and is no failure.

import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import type { Given } from '../../io/command.ts';
import { runTokenCommand } from './token-command.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runTokenCommand(context, given, async ({ tokens, id, json, show }) => {
    const { record, already } = await tokens.revoke(id);
    const document = await show(record);
    if (json) printJson(context.stdout, document);
    else
      printLines(context.stdout, [
        already
          ? `${document.id} was revoked already, on ${record.revoked_at ?? ''}.`
          : `${document.id} (${document.description}) is revoked. It opens nothing from now on.`,
      ]);
  });
}
