// `libretto repository hook`: the webhook of a repository, or of all repositories: its address, its deliveries, a new
// secret, a replay, and its removal. A new secret is printed alone on standard output, for scripts.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import { describeHook, type HookDocument } from '../../../proxy/hooks/describe-hook.ts';
import { isValidAt, sharedHook } from '../../../proxy/hooks/hook-record.ts';
import type { Hooks } from '../../../proxy/hooks/hooks.ts';
import { replayDelivery } from '../../../proxy/hooks/replay-delivery.ts';
import type { JobRecord } from '../../../proxy/sync/job.ts';
import type { RepositoryId } from '../../../proxy/sync/repository.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, revealSecret } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runningServer } from '../../state/running-server.ts';
import { describeHookLines } from '../../text/hook-text.ts';
import { addressForClients } from '../token/address-for-clients.ts';
import { runRepositoryCommand, type RepositoryCommand } from './repository-command.ts';

type HookTarget = typeof sharedHook | { readonly of: 'repository'; readonly id: RepositoryId };

export const publishes = true;

export function run(context: Context, given: CommandInput): Promise<number> {
  assertOne(given);
  return runRepositoryCommand(
    context,
    given,
    async (command) => {
      const place = await placeOf(command);
      const hooks = command.syncing.hooksOf(context.actor);
      const acted = await act(command, place, hooks);
      const record = await hooks.find(place);
      await print(command, await describeHook(command.syncing, place, record, context.now().getTime()), acted);
      if (acted.remark !== undefined && !command.json) printLines(context.remarks, ['', acted.remark]);
      return acted.exitCode;
    },
    { changes: true },
  );
}

/** What the command did beside showing the webhook. */
interface Acted {
  readonly secret?: Secret;
  readonly exitCode: number;
  readonly remark?: string;
  readonly replayed?: { readonly delivery: string; readonly jobs: readonly JobRecord[] };
}

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

async function placeOf({ given, repositories, id }: RepositoryCommand): Promise<HookTarget> {
  return given.flags['all'] === true ? sharedHook : { of: 'repository', id: (await repositories.get(id)).id };
}

async function act(
  { given: { flags }, context, syncing }: RepositoryCommand,
  place: HookTarget,
  hooks: Hooks,
): Promise<Acted> {
  if (flags['remove'] === true) {
    await hooks.remove(place);
    return { exitCode: 0 };
  }
  if (typeof flags['replay'] === 'string') {
    const begun = await replayDelivery(syncing, place, flags['replay'], context.actor).catch(asUnknownDelivery(place));
    await syncing.syncer.idle();
    const jobs = await Promise.all(begun.map(({ repository_id: id, id: job }) => syncing.jobs.get(id, job)));
    return {
      exitCode: jobs.some(({ state }) => state === 'failed') ? 1 : 0,
      remark: replayedText(flags['replay'], jobs),
      replayed: { delivery: flags['replay'], jobs },
    };
  }
  if (flags['rotate'] !== true && (await hooks.find(place)) !== undefined) return { exitCode: 0 };
  const dropped = flags['dropOld'] === true ? undefined : await droppedSecret(hooks, place, context.now().getTime());
  const { secret } = await hooks.issue(place, { dropOld: flags['dropOld'] === true });
  if (dropped === undefined) return { secret, exitCode: 0 };
  return { secret, exitCode: 0, remark: `The secret ${dropped} ended: of the former ones, only the last stays valid.` };
}

/** The secret that ends before its time, because two are valid already. */
async function droppedSecret(hooks: Hooks, place: HookTarget, nowMs: number): Promise<string | undefined> {
  const valid = (await hooks.find(place))?.secrets.filter((secret) => isValidAt(secret, nowMs)) ?? [];
  return valid[1]?.id;
}

/** The deliveries of a webhook are listed with it. */
function asUnknownDelivery(place: HookTarget): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof RegistryError) || error.code !== 'NOT_FOUND') throw error;
    const operand = place.of === 'repository' ? place.id : '--all';
    throw new UsageError(`${error.message} \`libretto repository hook ${operand}\` lists them.`, { cause: error });
  };
}

function replayedText(delivery: string, jobs: readonly JobRecord[]): string {
  return `Replayed ${delivery}: ${jobs.map(({ id, state }) => `${id} ${state}`).join(', ')}.`;
}

function replayedDocument(replayed: Acted['replayed']) {
  if (replayed === undefined) return null;
  const jobs = replayed.jobs.map(({ id, repository_id: repository, state }) => ({
    id,
    repository_id: repository,
    state,
  }));
  return { delivery: replayed.delivery, jobs };
}

async function print(
  { context, config, json }: RepositoryCommand,
  document: HookDocument,
  { secret, replayed }: Acted,
): Promise<void> {
  const { stdout, remarks } = context;
  const { url, remark } = addressForClients(
    config,
    context.networkAddresses(),
    await runningServer(config, context.now()),
  );
  const address = `${url}${document.path}`;
  const shown = secret === undefined ? null : revealSecret(secret);
  if (json) printJson(stdout, { url: address, ...document, secret: shown, replayed: replayedDocument(replayed) });
  else {
    printLines(shown === null ? stdout : remarks, describeHookLines(address, document));
    if (remark !== undefined) printLines(remarks, ['', remark]);
    if (!config.features.value.includes('hooks'))
      printLines(remarks, ['', 'A server of this configuration answers 404 here: it leaves out the feature hooks.']);
    if (shown !== null) {
      printLines(remarks, ['', 'Secret (shown only once; enter it at the provider now):']);
      printLines(stdout, [shown]);
    }
  }
  if (shown !== null)
    await stdout.delivered(
      'The secret was made, but it could not be printed. Make another one with --rotate --drop-old.',
    );
}
