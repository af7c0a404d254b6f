// `libretto restore`: a data folder out of a backup, or its state alone. What is restored is proved whole first. That
// it was restored is the next event of the audit log.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Adoption } from '../../../build/purge/adopt-tombstones.ts';
import { auditRecovery } from '../../../proxy/packages/purges.ts';
import { createAuditedStore, verifyAudit, type AuditVerdict } from '../../../proxy/state/audit.ts';
import type { StateStore } from '../../../proxy/state/state-store.ts';
import type { BackupRecord } from '../../backup/backup-record.ts';
import {
  checkBackup,
  replaceLocalState,
  restoreBackup,
  restoreState,
  type RestoreSteps,
} from '../../backup/restore-backup.ts';
import { findsDamagedState, shareState } from '../../backup/shared-state.ts';
import type { Given } from '../../io/command.ts';
import { openState } from '../../state/open-state.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { describeAdoption, labelOf, refuseUnconfirmed } from '../../purge/recovery-lines.ts';
import { adoptHere, planHere, readTombstonesIfAny } from '../../purge/tombstone-file.ts';
import { UsageError } from '../../io/usage-error.ts';
import { keepServersOff } from '../../state/serve-lock.ts';
import { sharedPlace, stateDirectory } from '../../state/state-place.ts';

export async function run(context: Context, { flags, operands }: Given): Promise<number> {
  const { environment, workingDirectory, stdout, stderr } = context;
  const config = await loadConfig({ flags, environment, workingDirectory });
  const data = config.data.value;
  const directory = resolve(workingDirectory, operands[0] ?? '');
  const [dryRun, stateOnly] = [flags['dryRun'] === true, flags['stateOnly'] === true];
  const tombstones =
    flags['purged'] === undefined ? undefined : readTombstonesIfAny(resolve(workingDirectory, String(flags['purged'])));
  if (tombstones !== undefined && stateOnly)
    throw new UsageError('--purged is for a whole data folder: leave out --state-only, or leave out --purged.');
  let adoption: Adoption = { added: [], purged: [] };
  const confirm = async (): Promise<void> => {
    if (tombstones === undefined) return;
    adoption = await planHere(tombstones, { data: { ...config.data, value: directory } });
    if (!dryRun && flags['yes'] !== true) refuseUnconfirmed(adoption, { by: 'The file', where: 'in this backup' });
  };
  const beforeState = async (): Promise<void> => {
    if (tombstones !== undefined) await adoptHere(tombstones, async (plan) => plan, config, context);
  };
  const record = await (dryRun
    ? checkBackup(directory, stateOnly)
    : restore(config, context, { directory, stateOnly, steps: { confirm, beforeState } }));
  if (dryRun) await confirm();
  const noted =
    !dryRun && holdsState(record) ? noteRestore(config, context, record, { stateOnly, adoption }) : undefined;
  const audit = await noted?.catch((error: unknown) => {
    printLines(stderr, [`The backup is restored to ${data} as a whole. Only its event in the audit log is missing:`]);
    throw error;
  });
  const { created_at, serial } = record;
  const files = stateOnly ? record.files.filter(({ path }) => path.startsWith('state/')) : record.files;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (flags['json'] === true)
    printJson(stdout, {
      directory,
      data: dryRun ? null : data,
      created_at,
      serial,
      files: files.length,
      bytes,
      audit: audit ?? null,
      ...(tombstones === undefined
        ? {}
        : {
            tombstones: adoption.added.map(labelOf),
            purged_versions: adoption.purged.map((one) => ({ ...one })),
          }),
    });
  else
    printLines(stdout, [
      `${dryRun ? 'The backup is whole' : `Restored to ${data}`}: ` +
        `${stateOnly ? 'the state alone, ' : ''}${counted(files.length, 'file')} (${bytes} bytes) of ` +
        `${created_at}, ${serial === 0 ? 'nothing published yet' : `publication ${serial}`}.`,
      ...describeAdoption(adoption, dryRun),
    ]);
  if (!dryRun)
    printLines(stderr, [
      `Whatever was revoked, disabled or changed since ${created_at} is as it was then: revoke it again.`,
    ]);
  if (!dryRun && !stateOnly && tombstones === undefined)
    printLines(stderr, [
      `Versions that were purged since ${created_at} are there again. Purge them again, or restore with ` +
        `--purged and the list of \`libretto package purged --json\`.`,
    ]);
  if (audit?.sound !== false) return 0;
  printLines(stderr, [`The audit log of the backup is broken at event ${audit.seq}: ${audit.reason}.`]);
  return 1;
}

interface Order {
  readonly directory: string;
  readonly stateOnly: boolean;
  readonly steps: RestoreSteps;
}

async function restore(
  config: Config,
  { now, stderr }: Context,
  { directory, stateOnly, steps }: Order,
): Promise<BackupRecord> {
  const [data, url] = [config.data.value, config.state.value];
  const shared = url === undefined ? undefined : sharedPlace(config, url);
  const tellAside = (aside: string | undefined): void =>
    printLines(stderr, aside === undefined ? [] : [`The state that was there is kept as ${aside}.`]);
  // before anything is written
  if (shared !== undefined) await findsDamagedState(shared);
  if (stateOnly) {
    if (shared !== undefined)
      return restoreState(directory, data, async (state) => tellAside(await shareState(state, shared, now())));
    const place = await keepServersOff(data, now);
    return restoreState(directory, data, async (state) =>
      tellAside(await replaceLocalState(state, stateDirectory(config), now())),
    ).finally(place.release);
  }
  const record = await restoreBackup(directory, data, steps);
  const state = join(data, 'state');
  if (shared !== undefined && existsSync(state)) tellAside(await shareState(state, shared, now()));
  return record;
}

function holdsState({ files }: BackupRecord): boolean {
  return files.some(({ path }) => path.startsWith('state/'));
}

/** The verdict on the log as the backup holds it. */
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
