// `libretto token revoke ID`: revokes a token permanently. A repeated call changes nothing, reports this, and succeeds.

import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { runTokenCommand } from './token-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTokenCommand(
    context,
    given,
    async ({ tokens, id, json, show }) => {
      const { record, already } = await tokens.revoke(id);
      const document = await show(record);
      if (json) printJson(context.stdout, document);
      else
        printLines(context.summary, [
          already
            ? `${document.id} was revoked already, on ${record.revoked_at ?? ''}.`
            : `${document.id} (${document.description}) is revoked. The registry refuses it from now on.`,
        ]);
    },
    { changes: true },
  );
}
