// What every repository command does around its own work: configuration, state, services, and refusals in words.

import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { Sealer } from '../../../proxy/keys/sealer.ts';
import type { StateStore } from '../../../proxy/state/state-store.ts';
import type { Repositories } from '../../../proxy/sync/repositories.ts';
import type { RepositoryRecord } from '../../../proxy/sync/repository.ts';
import { askingOrder, listRepositories } from '../../../proxy/sync/list-repositories.ts';
import { repositoryDocument, type RepositoryDocument } from '../../../proxy/sync/repository-document.ts';
import type { Given } from '../../io/command.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { openState } from '../../state/open-state.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeSyncing, type Syncing } from '../../compose/sync.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { withSettingsOf } from '../../state/state-settings.ts';
import { UsageError } from '../../io/usage-error.ts';

export interface RepositoryCommand {
  readonly context: Context;
  readonly given: Given;
  readonly config: Config;
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly syncing: Syncing;
  /** with the person at this command line as the one who acts */
  readonly repositories: Repositories;
  /** the first operand */
  readonly id: string;
  readonly json: boolean;
  readonly show: (record: RepositoryRecord) => Promise<RepositoryDocument>;
}

/** Runs `work` and resolves with its exit code. Only a command that `makes` something makes the state's folder. */
export async function runRepositoryCommand(
  context: Context,
  given: Given,
  work: (command: RepositoryCommand) => Promise<number>,
  makes = false,
): Promise<number> {
  const { flags, operands } = given;
  const config = await loadConfig({
    flags,
    environment: context.environment,
    workingDirectory: context.workingDirectory,
  });
  const state = makes ? await openState(config) : await openExistingState(config);
  const { sealer } = composeKeys(config, context);
  const onError = (error: unknown): void =>
    printLines(context.stderr, [error instanceof Error ? error.message : String(error)]);
  const syncing = composeSyncing(config, context, { state, sealer, onError });
  const show = async (record: RepositoryRecord): Promise<RepositoryDocument> =>
    repositoryDocument(
      record,
      (await syncing.jobs.outcomes([record.id])).get(record.id),
      askingOrder(await listRepositories(state)).get(record.id),
    );
  try {
    return await work({
      context,
      given,
      config: await withSettingsOf(state, config),
      state,
      sealer,
      syncing,
      show,
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

export function asUsageError(error: RegistryError): UsageError {
  const { issues } = error.details;
  const lines = Array.isArray(issues)
    ? (issues as readonly JsonValue[])
        .filter(isJsonObject)
        .map(({ path, message }) => `  ${String(path)}: ${String(message)}`)
    : [];
  return new UsageError(lines.length === 0 ? error.message : ['This cannot be registered so:', ...lines].join('\n'), {
    cause: error,
  });
}
