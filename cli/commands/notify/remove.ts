// `libretto notify remove`: forgets an endpoint, its secrets and its deliveries.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runNotifyCommand } from './notify-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runNotifyCommand(
    context,
    given,
    async ({ endpoints, id, json }) => {
      const { id: known, name, shown_url: url } = await endpoints.get(id);
      if (given.flags['yes'] !== true)
        throw new UsageError(
          `Removing ${known} (${name}, ${url}) forgets its secrets and its deliveries, and what still waits is not ` +
            `sent. Add --yes to remove it; \`libretto notify update ${known} --disable\` only stops it.`,
        );
      await endpoints.remove(known);
      if (json) printJson(context.stdout, { id: known });
      else printLines(context.summary, [`Removed the endpoint ${known} (${name}, ${url}).`]);
      return 0;
    },
    { changes: true },
  );
}
