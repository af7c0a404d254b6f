// The frame of the commands about repositories that run on the host alone: processes of the service, and webhooks.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { Sealer } from '../../../proxy/keys/sealer.ts';
import type { Repositories } from '../../../proxy/sync/repositories.ts';
import { openCommandState, type CommandState, type Opening } from '../../compose/command-state.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeSyncing, type Syncing } from '../../compose/sync.ts';
import type { Config } from '../../config/config.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { withSettingsOf } from '../../state/state-settings.ts';

export interface RepositoryCommand {
  readonly context: Context;
  readonly given: CommandInput;
  readonly config: Config;
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly syncing: Syncing;
  /** on behalf of the user of this command line */
  readonly repositories: Repositories;
  /** the first operand */
  readonly id: string;
  readonly json: boolean;
}

/** Runs `work` and resolves with its exit code. `opening`: as of openCommandState. */
export async function runRepositoryCommand(
  context: Context,
  given: CommandInput,
  work: (command: RepositoryCommand) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  const { flags, operands } = given;
  const opened = await openCommandState(context, flags, opening);
  const { syncing, sealer } = composeRepositories(opened, context);
  const { config, state } = opened;
  try {
    return await work({
      context,
      given,
      config: await withSettingsOf(state, config),
      state,
      sealer,
      syncing,
      repositories: syncing.repositoriesOf(context.actor),
      id: operands[0] ?? '',
      json: flags['json'] === true,
    });
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const advice = error.code === 'NOT_FOUND' ? ' `libretto repository list` shows all of them.' : '';
    throw new UsageError(`${error.message}${advice}`, { cause: error });
  } finally {
    await syncing.close();
    await state.close();
  }
}

export function composeRepositories(
  { config, state }: CommandState,
  context: Context,
): { readonly syncing: Syncing; readonly sealer: Sealer } {
  const { sealer } = composeKeys(config, context);
  const onError = (error: unknown): void =>
    printLines(context.stderr, [error instanceof Error ? error.message : String(error)]);
  return { syncing: composeSyncing(config, context, { state, sealer, onError }), sealer };
}
