// `libretto connection remove`: forgets a connection and its credentials. Its repositories stay registered.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runConnectionCommand } from './connection-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const isConfirmed = given.flags['yes'] === true;
  return runConnectionCommand(
    context,
    given,
    async ({ connections, id, json }) => {
      const { record, webhook, message } = await connections
        .remove(id, isConfirmed ? id : undefined)
        .catch((error: unknown) => {
          throw error instanceof RegistryError && error.code === 'CONFIRMATION_REQUIRED'
            ? unconfirmed(error, id)
            : error;
        });
      const removed = webhook === 'removed' ? ' Its webhook there is removed, too.' : '';
      if (json) printJson(context.stdout, { id: record.id, webhook, message });
      else printLines(context.summary, [`Removed the connection to ${record.owner} at ${record.web}.${removed}`]);
      if (message !== null) printWarnings(context.stderr, [message]);
      // the webhook stays at the forge until a person removes it
      return message === null ? 0 : 1;
    },
    { changes: true },
  );
}

function unconfirmed({ details }: RegistryError, id: string): UsageError {
  const count = Number(details['repositories']);
  const webhook =
    details['webhook'] === true
      ? "The owner's webhook at the forge is removed, so that pushes are not announced. "
      : '';
  return new UsageError(
    `Removing ${id} forgets its credentials. ${counted(count, 'repository', 'repositories')} ` +
      `${count === 1 ? 'stays' : 'stay'} registered and published, but private ones cannot be read any more. ` +
      webhook +
      'Add --yes to remove it.',
  );
}
