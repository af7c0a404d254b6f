// `libretto connection`: the commands about connections to forges. In a data folder, `add` and `refresh`
// ask the forge themselves and wait for its list; a remote registry does it in the background.

import { RegistryError } from '../../../build/contract/errors.ts';
import {
  createConnection,
  deleteConnection,
  getConnection,
  listConnectedRepositories,
  listConnections,
  planConnection,
  refreshConnection,
  replaceCredentials,
  updateConnection,
} from '../../../proxy/forges/operations.ts';
import type { PlanDocument } from '../../../proxy/forges/connection-schema.ts';
import { inOrder } from '../../../proxy/forges/model/connected.ts';
import { createSealer } from '../../../proxy/keys/sealer.ts';
import { composeConnecting } from '../../compose/connections.ts';
import { composeKeys } from '../../compose/keys.ts';
import { counted, printJson, printLines, printProblems, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { withSettingsOf } from '../../state/state-settings.ts';
import {
  describeConnected,
  describeConnection,
  describeConnections,
  describeSteps,
} from '../../text/connection-text.ts';
import type { CommandModule } from '../command-parts.ts';
import { operationCommand, type Noun } from '../operation-command.ts';
import { connectionDraft, connectionFields } from './connection-flags.ts';
import { refreshAndPrint, type ConnectionCommand, type LocalServices } from './local-refresh.ts';
import type { KeyRing, RingKey } from '../../../proxy/keys/key-ring.ts';
import { createDraftStore } from '../../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../../proxy/core/state/memory-store.ts';
import type { CommandState } from '../../compose/command-state.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { openStateIfAny } from '../../state/open-state.ts';

/**
 * The state and the sealer of a dry run about connections. It works on a draft, which is dropped at its end. It seals
 * with a key of its own, so that it makes neither a data folder nor a key, and opens stored credentials.
 */
async function openDraft(context: Context, flags: CommandInput['flags']): Promise<CommandState> {
  const { config } = await makeOrReadDataFolder(context, flags, 'state');
  const below = (await openStateIfAny(config)) ?? createMemoryStore();
  return { config, state: { ...createDraftStore(below), close: () => below.close() } };
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

const noun: Noun<LocalServices> = {
  name: 'connection',
  flags: { url: '--forge-url', subdirectories: '--subdirectory', credentials: 'the credentials' },
  compose: async ({ config, state }, context) => {
    const { sealer } = composeKeys(config, context);
    const parts = { state, sealer, installsHooks: true };
    return { services: { ...composeConnecting(await withSettingsOf(state, config), context, parts), state } };
  },
};

/** What the command changes is dropped at its end. */
const draftNoun: Noun<LocalServices> = {
  ...noun,
  open: openDraft,
  compose: async ({ config, state }, context) => {
    const sealer = createSealer(draftRing(context, composeKeys(config, context).keys), context.randomBytes);
    const parts = { state, sealer, installsHooks: false };
    return { services: { ...composeConnecting(await withSettingsOf(state, config), context, parts), state } };
  },
};

export const add: CommandModule = {
  run: (context, given) => {
    const isPlan = given.flags['dryRun'] === true;
    const work = async (command: ConnectionCommand): Promise<number> => {
      const { services, call } = command;
      const draft = connectionDraft(given, context.workingDirectory, services === undefined && !isPlan);
      if (services === undefined && isPlan) return printPlan(command, await call(planConnection, draft));
      const { id, interval } = await call(createConnection, draft);
      if (services === undefined) return 0;
      const exitCode = await refreshAndPrint(command, services, id, isPlan);
      if (!isPlan)
        printLines(context.remarks, [
          `Connected as ${id}. A server reads new repositories within seconds, and looks for more every ` +
            `${interval} seconds. Without one, run \`libretto build\`.`,
        ]);
      return exitCode;
    };
    const of = { ...(isPlan ? draftNoun : noun), formerUrl: 'For the address of the forge, use --forge-url.' };
    return operationCommand(of, work, { makes: !isPlan }).run(context, given);
  },
};

export const list = operationCommand(noun, async ({ all, json, context, print }) => {
  const connections = await all(listConnections);
  if (connections.length === 0 && !json)
    printLines(context.remarks, ['Nothing is connected. Connect an owner with `libretto connection add --help`.']);
  else print({ connections }, () => describeConnections(connections));
});

export const show = operationCommand(noun, async ({ call, all, operands: [id = ''], print }) => {
  const connection = await call(getConnection, { id });
  const repositories = inOrder(await all(listConnectedRepositories, { id }));
  print({ ...connection, repositories }, () => [
    ...describeConnection(connection),
    ...(repositories.length === 0 ? [] : ['', ...describeConnected(repositories)]),
  ]);
});

export const update = operationCommand(
  noun,
  async ({ call, context, flags, operands: [id = ''], services, report }) => {
    const { credentials, ...fields } = connectionFields(flags, context.workingDirectory);
    const changesMore = Object.values(fields).some((value) => value !== undefined);
    if (services === undefined && credentials !== undefined && changesMore)
      throw new UsageError('With --url, replace the credentials without other changes: each is a form of its own.');
    const operation = credentials === undefined ? updateConnection : replaceCredentials;
    report(await call(operation, { id, credentials, ...fields }), describeConnection);
  },
  { changes: true },
);

export const refresh: CommandModule = {
  run: (context, given) => {
    const isPlan = given.flags['dryRun'] === true;
    const work = async (command: ConnectionCommand): Promise<number> => {
      const { services, call, operands, json } = command;
      if (services === undefined && isPlan)
        throw new UsageError('--dry-run is for a data folder: run it on the host of the registry.');
      const connection = await call(refreshConnection, { id: operands[0] ?? '' });
      if (services !== undefined) return refreshAndPrint(command, services, connection.id, isPlan);
      const message = `The refresh begins within seconds. \`libretto connection show ${connection.id}\` shows its end.`;
      if (json) printJson(context.stdout, { dry_run: false, finished: false, message, connection, steps: [] });
      else printLines(context.summary, [message]);
      return 0;
    };
    return operationCommand(isPlan ? draftNoun : noun, work, { changes: true }).run(context, given);
  },
};

export const remove = operationCommand(
  noun,
  async ({ call, operands: [id = ''], flags, context, report }) => {
    const { owner, url } = await call(getConnection, { id });
    const removed = await call(deleteConnection, { id, ...(flags['yes'] === true && { confirm: id }) }).catch(
      (error: unknown) => {
        const isAsked = error instanceof RegistryError && error.code === 'CONFIRMATION_REQUIRED';
        throw isAsked ? unconfirmed(error, id) : error;
      },
    );
    report(removed, ({ webhook }) => [
      `Removed the connection to ${owner} at ${url}.${webhook === 'removed' ? ' Its webhook there is removed, too.' : ''}`,
    ]);
    if (removed.message !== null) printWarnings(context.stderr, [removed.message]);
    // the webhook stays at the forge until a person removes it
    return removed.message === null ? 0 : 1;
  },
  { changes: true },
);

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

/** Exit code 1: the list was not read to its end. */
function printPlan({ context, json }: ConnectionCommand, { finished, message, steps }: PlanDocument): number {
  if (json) printJson(context.stdout, { dry_run: true, finished, message, connection: null, steps });
  else printLines(context.stdout, describeSteps(steps, true));
  if (message !== null) printProblems(context.stderr, [message]);
  return finished ? 0 : 1;
}
