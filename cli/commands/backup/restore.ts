// `libretto restore`: restores a data folder from a backup, or only its state. The command checks the files of the
// backup before it writes any, and adds the restore to the audit log.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Adoption } from '../../../build/purge/adopt-tombstones.ts';
import { auditRecovery } from '../../../proxy/packages/purges.ts';
import { createAuditedStore, verifyAudit, type AuditVerdict } from '../../../proxy/state/audit.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { BackupRecord } from '../../backup/backup-record.ts';
import {
  checkBackup,
  replaceLocalState,
  restoreBackup,
  restoreState,
  type RestoreSteps,
} from '../../backup/restore-backup.ts';
import { describeAbsentSources } from '../../backup/absent-sources.ts';
import { findsDamagedState, shareState } from '../../backup/shared-state.ts';
import type { CommandInput } from '../../io/command.ts';
import { openState } from '../../state/open-state.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines, printProblems, printWarnings } from '../../io/output.ts';
import { describeAdoption, labelOf } from '../../purge/recovery-lines.ts';
import { refuseUnconfirmed, withRefusedPlan } from '../../purge/unconfirmed-purge.ts';
import { adoptLocally, planLocally, readTombstonesIfAny } from '../../purge/tombstone-file.ts';
import { restoreEmptyState } from './empty-state.ts';
import { UsageError } from '../../io/usage-error.ts';
import { refuseOtherServers } from '../../state/serve-lock.ts';
import { readRememberedState, rememberState } from '../../state/remembered-state.ts';
import { redisOf, sharedPlace, stateDirectory, type StatePlace } from '../../state/state-place.ts';

export const publishes = true;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  refuseUnusable(flags, operands);
  if (flags['empty'] === true) return restoreEmptyState(context, flags);
  const { workingDirectory, stdout, stderr } = context;
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'all');
  const order = orderOf(flags, operands, workingDirectory);
  const { dryRun } = order;
  const { record, adoption } = await (dryRun
    ? check(order, config, context.now())
    : withRefusedPlan(restoreWithPurges(order, config, context), flags, context).finally(announceNew));
  const noted = !dryRun && hasState(record) ? noteRestore(config, context, record, { ...order, adoption }) : undefined;
  const audit = await noted?.catch((error: unknown) => {
    printProblems(stderr, [
      `The backup is restored to ${config.data.value} as a whole. Only its event in the audit log is missing:`,
    ]);
    throw error;
  });
  const restored = { record, adoption, data: config.data.value };
  if (flags['json'] === true)
    printJson(stdout, { ...documentOf(order, restored), audit: audit ?? null, ...purgesOf(order, adoption) });
  else printLines(dryRun ? stdout : context.summary, describe(order, restored));
  printWarnings(stderr, warningsOf(order, record));
  if (!dryRun && !order.stateOnly) printLines(stderr, await describeAbsentSources(config.data.value));
  if (audit?.sound !== false) return 0;
  printProblems(stderr, [`The audit log of the backup is broken at event ${audit.seq}: ${audit.reason}.`]);
  return 1;
}

/** Throws UsageError. */
function refuseUnusable({ empty, force, ...others }: CommandInput['flags'], operands: CommandInput['operands']): void {
  if (empty !== true && operands.length === 0)
    throw new UsageError('Name the folder of a backup, or --empty for an empty state. Nothing was changed.');
  if (empty !== true && force === true)
    throw new UsageError('--force goes with --empty: it gives up the state of this data folder. Nothing was changed.');
  const unused = ['stateOnly', 'purged', 'yes', 'dryRun'].some((flag) => others[flag] !== undefined);
  if (empty === true && (operands.length > 0 || unused))
    throw new UsageError('--empty makes an empty state, without a backup: it goes with --force and --json alone.');
}

interface Order {
  readonly directory: string;
  readonly dryRun: boolean;
  readonly stateOnly: boolean;
  /** the file of --purged */
  readonly tombstones: ReturnType<typeof readTombstonesIfAny> | undefined;
  /** the tombstones may purge versions of the backup */
  readonly confirmed: boolean;
}

interface Restored {
  readonly record: BackupRecord;
  readonly adoption: Adoption;
  readonly data: string;
}

function orderOf(flags: CommandInput['flags'], operands: CommandInput['operands'], workingDirectory: string): Order {
  const stateOnly = flags['stateOnly'] === true;
  const tombstones =
    flags['purged'] === undefined ? undefined : readTombstonesIfAny(resolve(workingDirectory, String(flags['purged'])));
  if (tombstones !== undefined && stateOnly)
    throw new UsageError('--purged is for a whole data folder: leave out --state-only, or leave out --purged.');
  return {
    directory: resolve(workingDirectory, operands[0] ?? ''),
    dryRun: flags['dryRun'] === true,
    stateOnly,
    tombstones,
    confirmed: flags['yes'] === true,
  };
}

async function check(order: Order, config: Config, now: Date): Promise<Omit<Restored, 'data'>> {
  const record = await checkBackup(order.directory, order.stateOnly);
  return { record, adoption: await planAdoption(order, config, now) };
}

/** Confirms the purges before it copies the first file, and adopts the tombstones before the state. */
async function restoreWithPurges(order: Order, config: Config, context: Context): Promise<Omit<Restored, 'data'>> {
  const { tombstones, confirmed } = order;
  let adoption = noAdoption;
  const confirm = async (): Promise<void> => {
    adoption = await planAdoption(order, config, context.now());
    if (!confirmed && tombstones !== undefined)
      refuseUnconfirmed(adoption, { by: 'The file', where: 'in this backup', hasFile: true });
  };
  const beforeState = async (): Promise<void> => {
    if (tombstones !== undefined) await adoptLocally(tombstones, async (plan) => plan, config, context);
  };
  const record = await restore(config, context, order, { confirm, beforeState });
  return { record, adoption };
}

const noAdoption: Adoption = { added: [], purged: [] };

/** The effect of the tombstones on the backup. */
async function planAdoption({ tombstones, directory }: Order, config: Config, now: Date): Promise<Adoption> {
  return tombstones === undefined
    ? noAdoption
    : planLocally(tombstones, { data: { ...config.data, value: directory } }, now);
}

function restoredFiles(
  { stateOnly }: Order,
  { files }: BackupRecord,
): { readonly files: number; readonly bytes: number } {
  const restored = stateOnly ? files.filter(({ path }) => path.startsWith('state/')) : files;
  return { files: restored.length, bytes: restored.reduce((sum, { size }) => sum + size, 0) };
}

function documentOf(order: Order, { record, data }: Restored): object {
  const { created_at, serial } = record;
  const { directory, dryRun } = order;
  return { directory, data: dryRun ? null : data, created_at, serial, ...restoredFiles(order, record) };
}

function purgesOf({ tombstones }: Order, { added, purged }: Adoption): object {
  if (tombstones === undefined) return {};
  return { tombstones: added.map(labelOf), purged_versions: purged.map((one) => ({ ...one })) };
}

function describe(order: Order, { record, adoption, data }: Restored): readonly string[] {
  const { dryRun, stateOnly } = order;
  const { files, bytes } = restoredFiles(order, record);
  const { created_at, serial } = record;
  return [
    `${dryRun ? 'The backup is whole' : `Restored to ${data}`}: ` +
      `${stateOnly ? 'the state alone, ' : ''}${counted(files, 'file')} (${bytes} bytes) of ` +
      `${created_at}, ${serial === 0 ? 'nothing published yet' : `publication ${serial}`}.`,
    ...describeAdoption(adoption, dryRun),
  ];
}

function warningsOf({ dryRun, stateOnly, tombstones }: Order, { created_at }: BackupRecord): readonly string[] {
  if (dryRun) return [];
  const purges =
    `Versions that were purged since ${created_at} are back. Purge them again, or restore with ` +
    `--purged and a newer list: the output of \`package list --purged --json\`.`;
  return [
    `Changes since ${created_at} are lost. Revoke tokens and disable users again.`,
    ...(stateOnly || tombstones !== undefined ? [] : [purges]),
  ];
}

async function restore(
  config: Config,
  { now, remarks }: Context,
  { directory, stateOnly }: Order,
  steps: RestoreSteps,
): Promise<BackupRecord> {
  const [data, url] = [config.data.value, config.state.value];
  const shared = url === undefined ? undefined : sharedPlace(config, url);
  const reportAside = (aside: string | undefined): void =>
    printLines(remarks, aside === undefined ? [] : [`The previous state is kept as ${aside}.`]);
  // The check comes before the first write.
  if (shared !== undefined) await findsDamagedState(shared);
  if (stateOnly) {
    if (shared !== undefined)
      return restoreState(directory, data, async (state) => {
        reportAside(await shareState(state, shared, now()));
        await nameRedis(data, shared);
      });
    const place = await refuseOtherServers(data, now);
    return restoreState(directory, data, async (state) =>
      reportAside(await replaceLocalState(state, stateDirectory(config), now())),
    ).finally(place.release);
  }
  const record = await restoreBackup(directory, data, steps);
  const state = join(data, 'state');
  if (shared !== undefined && existsSync(state)) {
    reportAside(await shareState(state, shared, now()));
    await nameRedis(data, shared);
  }
  return record;
}

/** The backup named its state, which is in this Redis now. */
async function nameRedis(data: string, place: StatePlace): Promise<void> {
  const identity = (await readRememberedState(data))?.identity;
  if (identity !== undefined) await rememberState(data, { identity, redis: redisOf(place) });
}

function hasState({ files }: BackupRecord): boolean {
  return files.some(({ path }) => path.startsWith('state/'));
}

/** Adds the restore to the audit log. Gives the verdict on the audit log of the backup. */
async function noteRestore(
  config: Config,
  { now, actor }: Context,
  { created_at, libretto, serial }: BackupRecord,
  { stateOnly, adoption }: { readonly stateOnly: boolean; readonly adoption: Adoption },
): Promise<AuditVerdict> {
  return withState(config, async (state) => {
    const verdict = await verifyAudit(state);
    const store = createAuditedStore({ store: state, now: () => now().getTime() });
    await store.commit(
      { conditions: [], puts: [], deletes: [] },
      {
        actor,
        action: 'state.restore',
        subject: 'backup',
        details: { created_at, libretto, serial, ...(stateOnly && { state_only: true }) },
      },
    );
    if (adoption.added.length > 0) await auditRecovery(store, actor, adoption);
    return verdict;
  });
}

async function withState<T>(config: Config, work: (state: StateStore) => Promise<T>): Promise<T> {
  const state = await openState(config);
  return work(state).finally(() => state.close());
}
