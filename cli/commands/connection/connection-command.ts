// The frame of each command about connections: opens state and services, and explains refusals.

import { RegistryError } from '../../../build/contract/errors.ts';
import { readConnection, type ConnectionDocument } from '../../../proxy/forges/connection-document.ts';
import type { Connections } from '../../../proxy/forges/connections.ts';
import type { ConnectionRecord } from '../../../proxy/forges/model/connection.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { type Opening, openCommandState } from '../../compose/command-state.ts';
import { composeConnecting, type Connecting } from '../../compose/connections.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';
import { createSealer, type Sealer } from '../../../proxy/keys/sealer.ts';
import type { KeyRing, RingKey } from '../../../proxy/keys/key-ring.ts';
import { createDraftStore } from '../../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../../proxy/core/state/memory-store.ts';
import { composeKeys } from '../../compose/keys.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { withSettingsOf } from '../../state/state-settings.ts';

export interface ConnectionCommand {
  readonly context: Context;
  readonly given: CommandInput;
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
  given: CommandInput,
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

// The state and the sealer of a command about connections. A dry run works on a draft, which is dropped at its end. It
// seals with a key of its own, so that it makes neither a data folder nor a key, and opens stored credentials.

interface CommandStore {
  readonly config: Config;
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly close: () => Promise<void>;
}

/** `isDraft`: what the command changes is dropped at its end. Otherwise as openCommandState. */
async function openCommandStore(
  context: Context,
  flags: CommandInput['flags'],
  { isDraft, ...opening }: Opening & { readonly isDraft: boolean },
): Promise<CommandStore> {
  if (isDraft) return openDraft(context, flags);
  const { config, state } = await openCommandState(context, flags, opening);
  const { sealer } = composeKeys(config, context);
  return { config: await withSettingsOf(state, config), state, sealer, close: () => state.close() };
}

async function openDraft(context: Context, flags: CommandInput['flags']): Promise<CommandStore> {
  const { config } = await makeOrReadDataFolder(context, flags, 'state');
  const below = (await openStateIfAny(config)) ?? createMemoryStore();
  return {
    config: await withSettingsOf(below, config),
    state: createDraftStore(below),
    sealer: createSealer(draftRing(context, composeKeys(config, context).keys), context.randomBytes),
    close: () => below.close(),
  };
}

/** Seals with a key of the dry run, and opens what the keys of this registry have sealed. */
function draftRing({ now, randomBytes }: Context, below: KeyRing): KeyRing {
  const key: RingKey = {
    purpose: 'sealing',
    number: 1,
    kid: 'draft',
    created_at: now().toISOString(),
    ends_at: null,
    material: Buffer.from(randomBytes(32)).toString('base64url'),
  };
  const find: KeyRing['find'] = (purpose, kid) => (kid === key.kid ? key : below.find(purpose, kid));
  return { current: () => key, find, list: () => [key, ...below.list()], rotate: () => key };
}
