// `libretto connection remove`: forgets a connection and its credentials. Its repositories stay registered.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runConnectionCommand } from './connection-command.ts';

export function run(context: Context, given: Given): Promise<number> {
  const isConfirmed = given.flags['yes'] === true;
  return runConnectionCommand(
    context,
    given,
    async ({ connections, id, json }) => {
      const record = await connections.remove(id, isConfirmed ? id : undefined).catch((error: unknown) => {
        throw error instanceof RegistryError && error.code === 'CONFIRMATION_REQUIRED' ? unconfirmed(error, id) : error;
      });
      if (json) printJson(context.stdout, { id: record.id });
      else printLines(context.summary, [`Removed the connection to ${record.owner} at ${record.web}.`]);
      return 0;
    },
    { changes: true },
  );
}

function unconfirmed({ details }: RegistryError, id: string): UsageError {
  const count = Number(details['repositories']);
  return new UsageError(
    `Removing ${id} forgets its credentials. ${counted(count, 'repository', 'repositories')} ` +
      `${count === 1 ? 'stays' : 'stay'} registered and published, but private ones cannot be read any more. ` +
      'Add --yes to remove it.',
  );
}
