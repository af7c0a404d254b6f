// `libretto repository hook`: the webhook of a repository, or of all repositories: its address, its deliveries, a new
// secret, a replay, and its removal. A new secret is printed alone on standard output, for scripts.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { HookDocument, ReplayedDocument } from '../../../proxy/hooks/hook-schema.ts';
import { registryHook, repositoryHook } from '../../../proxy/hooks/operations.ts';
import type { RepositoryId } from '../../../proxy/sync/repository.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeSyncing, type Syncing } from '../../compose/sync.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import type { CommandInput } from '../../io/command.ts';
import { printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runningServer } from '../../state/running-server.ts';
import { describeHookLines } from '../../text/hook-text.ts';
import { operationCommand, type Noun, type OperationCommand } from '../operation-command.ts';
import { addressForClients } from '../token/address-for-clients.ts';

type LocalServices = Syncing & { readonly publicUrl: string | undefined };
type HookCommand = OperationCommand<LocalServices>;

const noun: Noun<LocalServices> = {
  name: 'repository',
  thing: 'webhook',
  compose: ({ config, state }, context) => {
    const { sealer } = composeKeys(config, context);
    const onError = (error: unknown): void =>
      printLines(context.stderr, [error instanceof Error ? error.message : String(error)]);
    const syncing = composeSyncing(config, context, { state, sealer, onError });
    return { services: { ...syncing, publicUrl: publicUrlOf(config)?.url }, close: syncing.close };
  },
};

export const publishes = true;

export const { run } = operationCommand(
  noun,
  async (command) => {
    assertOne(command);
    const { hook, ...acted } = await act(command);
    await print(command, hook, acted);
    if (acted.remark !== undefined && !command.json) printLines(command.context.remarks, ['', acted.remark]);
    return acted.exitCode ?? 0;
  },
  { changes: true },
);

/** What the command did beside showing the webhook. */
interface Acted {
  readonly hook: HookDocument;
  readonly secret?: string;
  readonly exitCode?: number;
  readonly remark?: string;
  readonly replayed?: { readonly delivery: string; readonly jobs: readonly ReplayedJob[] };
}

type ReplayedJob = Pick<ReplayedDocument['data'][number], 'id' | 'repository_id' | 'state'>;

/** One target and one action. */
function assertOne({ operands, flags }: CommandInput): void {
  if (operands[0] === undefined && flags['all'] !== true)
    throw new UsageError('Name a repository by its id, or the webhook for all repositories with --all.');
  if (operands[0] !== undefined && flags['all'] === true)
    throw new UsageError('Name a repository, or use --all: not both.');
  const actions = ['rotate', 'replay', 'remove'].filter((name) => flags[name] !== undefined);
  if (actions.length > 1) throw new UsageError(`Use one of --${actions.join(' and --')}, not both.`);
  if (flags['dropOld'] === true && flags['rotate'] !== true) throw new UsageError('--drop-old belongs to --rotate.');
}

async function act(command: HookCommand): Promise<Acted> {
  const { flags, operands, call } = command;
  // the operations on the webhook for all take no id
  const [operations, id] = flags['all'] === true ? [registryHook, ''] : [repositoryHook, operands[0] ?? ''];
  const before = await call(operations.get, { id });
  if (flags['remove'] === true) return { hook: await call(operations.remove, { id }) };
  if (typeof flags['replay'] === 'string') {
    const delivery = flags['replay'];
    const { data } = await call(operations.replay, { id, delivery }).catch(asUnknownDelivery(id));
    return { ...(await replayed(command, delivery, data)), hook: await call(operations.get, { id }) };
  }
  if (flags['rotate'] !== true && before.created_at !== null) return { hook: before };
  const dropOld = flags['dropOld'] === true;
  const { secret, ...hook } = await call(operations.issue, { id, ...(dropOld && { drop_old: true }) });
  // the one that ends before its time, because two are valid already
  const dropped = dropOld ? undefined : before.secrets[1]?.id;
  if (dropped === undefined) return { hook, secret };
  return { hook, secret, remark: `The secret ${dropped} ended: of the former ones, only the last stays valid.` };
}

/** Waits for the syncs of a data folder. A remote registry goes on with them. */
async function replayed(
  { services }: HookCommand,
  delivery: string,
  begun: readonly ReplayedJob[],
): Promise<Omit<Acted, 'hook'>> {
  await services?.syncer.idle();
  const jobs = await Promise.all(
    begun.map(async (job): Promise<ReplayedJob> => {
      const { id, repository_id: repository } = job;
      const { state } = (await services?.jobs.get(repository as RepositoryId, id)) ?? job;
      return { id, repository_id: repository, state };
    }),
  );
  return {
    exitCode: jobs.some(({ state }) => state === 'failed') ? 1 : 0,
    remark: `Replayed ${delivery}: ${jobs.map(({ id, state }) => `${id} ${state}`).join(', ')}.`,
    replayed: { delivery, jobs },
  };
}

/** The deliveries of a webhook are listed with it. */
function asUnknownDelivery(id: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof RegistryError) || error.code !== 'NOT_FOUND') throw error;
    const operand = id === '' ? '--all' : id;
    throw new UsageError(`${error.message} \`libretto repository hook ${operand}\` lists them.`, { cause: error });
  };
}

async function print(
  { context, config, json }: HookCommand,
  hook: HookDocument,
  { secret, replayed: again }: Omit<Acted, 'hook'>,
): Promise<void> {
  const { stdout, remarks } = context;
  const server = config && (await runningServer(config, context.now()));
  const known = config && addressForClients(config, context.networkAddresses(), server);
  const url = known === undefined ? hook.url : `${known.url}${hook.path}`;
  if (json) printJson(stdout, { ...hook, url, secret: secret ?? null, replayed: again ?? null });
  else {
    printLines(secret === undefined ? stdout : remarks, describeHookLines(url ?? hook.path, hook));
    if (known?.remark !== undefined) printLines(remarks, ['', known.remark]);
    if (config?.features.value.includes('hooks') === false)
      printLines(remarks, ['', 'A server of this configuration answers 404 here: it leaves out the feature hooks.']);
    if (secret !== undefined) {
      printLines(remarks, ['', 'Secret (shown only once; enter it at the provider now):']);
      printLines(stdout, [secret]);
    }
  }
  if (secret !== undefined)
    await stdout.delivered(
      'The secret was made, but it could not be printed. Make another one with --rotate --drop-old.',
    );
}
