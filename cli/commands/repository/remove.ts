// `libretto repository remove`: lists the versions that it would withdraw; with --yes it removes the repository and
// withdraws them.

import { RegistryError } from '../../../build/contract/errors.ts';
import { removeRepository } from '../../../proxy/sync/remove-repository.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines } from '../../io/output.ts';
import { runRepositoryCommand } from './repository-command.ts';
import { UsageError } from '../../io/usage-error.ts';

export const publishes = true;

export function run(context: Context, given: CommandInput): Promise<number> {
  const { flags } = given;
  return runRepositoryCommand(
    context,
    given,
    async ({ repositories, syncing, id, json }) => {
      const parts = { repositories, syncer: syncing.syncer, actor: context.actor };
      const { record, packages } = await removeRepository(parts, id, flags['yes'] === true ? id : undefined).catch(
        (error: unknown) => {
          throw error instanceof RegistryError && error.code === 'CONFIRMATION_REQUIRED'
            ? unconfirmed(error, id)
            : error;
        },
      );
      await syncing.syncer.idle();
      if (json) printJson(context.stdout, { id: record.id, packages });
      else
        printLines(context.summary, [
          record.type === 'composer'
            ? `Removed ${record.url}; it is no longer used.`
            : `Removed ${record.url}; ${counted(packages.length, 'package')} withdrawn.`,
        ]);
      return 0;
    },
    { changes: true },
  );
}

function unconfirmed({ details }: RegistryError, id: string): UsageError {
  const packages = Array.isArray(details['packages']) ? details['packages'].map(String) : [];
  return new UsageError(
    [
      packages.length === 0
        ? `Removing ${id} withdraws nothing.`
        : `Removing ${id} withdraws ${counted(packages.length, 'package')}:`,
      ...firstOf(
        packages.map((name) => `  ${name}`),
        40,
      ),
      'Add --yes to remove it.',
    ].join('\n'),
  );
}
