// The frame of each command about connections: opens state and services, and explains refusals.

import { RegistryError } from '../../../build/contract/errors.ts';
import { readConnection, type ConnectionDocument } from '../../../proxy/forges/connection-document.ts';
import type { Connections } from '../../../proxy/forges/connections.ts';
import type { ConnectionRecord } from '../../../proxy/forges/model/connection.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { Opening } from '../../compose/command-state.ts';
import { composeConnecting, type Connecting } from '../../compose/connections.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';
import { openCommandStore } from './command-store.ts';

export interface ConnectionCommand {
  readonly context: Context;
  readonly given: Given;
  readonly state: StateStore;
  readonly connecting: Connecting;
  /** on behalf of the user of this command line */
  readonly connections: Connections;
  /** the first operand */
  readonly id: string;
  readonly json: boolean;
  readonly show: (record: ConnectionRecord) => Promise<ConnectionDocument>;
}

export interface CommandOptions extends Opening {
  /** what the command changes is dropped at its end */
  readonly isDraft?: boolean;
}

/** Runs `work` and resolves with its exit code. */
export async function runConnectionCommand(
  context: Context,
  given: Given,
  work: (command: ConnectionCommand) => Promise<number>,
  { isDraft = false, ...opening }: CommandOptions = {},
): Promise<number> {
  const { config, state, sealer, close } = await openCommandStore(context, given.flags, { ...opening, isDraft });
  const connecting = composeConnecting(config, context, { state, sealer, installsHooks: !isDraft });
  try {
    return await work({
      context,
      given,
      state,
      connecting,
      connections: connecting.connectionsOf(context.actor),
      id: given.operands[0] ?? '',
      json: given.flags['json'] === true,
      show: (record) => readConnection(state, record),
    });
  } catch (error) {
    throw error instanceof RegistryError ? asConnectionRefusal(error) : error;
  } finally {
    await close();
  }
}

/** The refusal, with one line for each field. */
function asConnectionRefusal(error: RegistryError): UsageError {
  const issues = Array.isArray(error.details['issues']) ? error.details['issues'] : [];
  const lines = (issues as readonly { readonly path?: unknown; readonly message?: unknown }[]).map(
    ({ path, message }) => `  ${path === '' ? '' : `${String(path)}: `}${String(message)}`,
  );
  const advice = error.code === 'NOT_FOUND' ? ' `libretto connection list` shows all of them.' : '';
  const text = lines.length === 0 ? `${error.message}${advice}` : ['The connection is refused:', ...lines].join('\n');
  return new UsageError(text, { cause: error });
}
