// The frame of each repository command: reads the configuration, opens state and services, and explains refusals.

import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { Sealer } from '../../../proxy/keys/sealer.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { Repositories } from '../../../proxy/sync/repositories.ts';
import type { RepositoryRecord } from '../../../proxy/sync/repository.ts';
import { askingOrder, listRepositories } from '../../../proxy/sync/list-repositories.ts';
import { repositoryDocument, type RepositoryDocument } from '../../../proxy/sync/repository-document.ts';
import type { CommandInput } from '../../io/command.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeSyncing, type Syncing } from '../../compose/sync.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { withSettingsOf } from '../../state/state-settings.ts';
import { UsageError } from '../../io/usage-error.ts';

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
  readonly show: (record: RepositoryRecord) => Promise<RepositoryDocument>;
}

/** Runs `work` and resolves with its exit code. `opening`: as of openCommandState. */
export async function runRepositoryCommand(
  context: Context,
  given: CommandInput,
  work: (command: RepositoryCommand) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  const { flags, operands } = given;
  const { stderr } = context;
  const { config, state } = await openCommandState(context, flags, opening);
  const { sealer } = composeKeys(config, context);
  const onError = (error: unknown): void =>
    printLines(stderr, [error instanceof Error ? error.message : String(error)]);
  const syncing = composeSyncing(config, context, { state, sealer, onError });
  try {
    return await work({
      context,
      given,
      config: await withSettingsOf(state, config),
      state,
      sealer,
      syncing,
      show: showOf(state, syncing),
      repositories: syncing.repositoriesOf(context.actor),
      id: operands[0] ?? '',
      json: flags['json'] === true,
    });
  } catch (error) {
    throw error instanceof RegistryError ? asUsageError(error) : error;
  } finally {
    await syncing.close();
    await state.close();
  }
}

function showOf(state: StateStore, { jobs }: Syncing): RepositoryCommand['show'] {
  return async (record) =>
    repositoryDocument(
      record,
      (await jobs.outcomes([record.id])).get(record.id),
      askingOrder(await listRepositories(state)).get(record.id),
    );
}

/** The refusal of a registration, with one line for each issue. */
export function asUsageError(error: RegistryError): UsageError {
  const { issues } = error.details;
  const lines = Array.isArray(issues)
    ? (issues as readonly JsonValue[])
        .filter(isJsonObject)
        .map(({ path, message }) => `  ${String(path)}: ${String(message)}`)
    : [];
  return new UsageError(
    lines.length === 0 ? withAdvice(error) : ['The repository cannot be registered:', ...lines].join('\n'),
    {
      cause: error,
    },
  );
}

function withAdvice({ code, message }: RegistryError): string {
  return code === 'NOT_FOUND' ? `${message} \`libretto repository list\` shows all of them.` : message;
}
