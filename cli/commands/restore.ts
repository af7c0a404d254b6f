// `libretto restore`: a data folder out of a backup, which is proved whole first. That it was restored is the next event of the audit log.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { createAuditedStore, verifyAudit, type AuditVerdict } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import type { BackupRecord } from '../backup/backup-record.ts';
import { checkBackup, restoreBackup } from '../backup/restore-backup.ts';
import { refuseFilledState, shareState } from '../backup/shared-state.ts';
import type { Given } from '../command.ts';
import { openState } from '../open-state.ts';
import { loadConfig, type Config } from '../config.ts';
import type { Context } from '../context.ts';
import { counted, printJson, printLines } from '../output.ts';

export async function run(context: Context, { flags, operands }: Given): Promise<number> {
  const { environment, workingDirectory, stdout, stderr } = context;
  const config = await loadConfig({ flags, environment, workingDirectory });
  const data = config.data.value;
  const directory = resolve(workingDirectory, operands[0] ?? '');
  const dryRun = flags['dryRun'] === true;
  const shared = !dryRun && config.state.value !== undefined;
  if (shared) await withState(config, refuseFilledState);
  const record = await (dryRun ? checkBackup(directory) : restoreBackup(directory, data));
  const state = join(data, 'state');
  const hasState = !dryRun && existsSync(state);
  if (hasState && shared) await withState(config, (store) => shareState(state, store));
  const audit = hasState ? await noteRestore(config, context, record) : undefined;
  const { created_at, serial, files } = record;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (flags['json'] === true) printJson(stdout, { directory, data: dryRun ? null : data, created_at, serial, files: files.length, bytes, audit: audit ?? null });
  else printLines(stdout, [`${dryRun ? 'The backup is whole' : `Restored to ${data}`}: ${counted(files.length, 'file')} (${bytes} bytes) of ${created_at}, ${serial === 0 ? 'nothing published yet' : `publication ${serial}`}.`]);
  if (!dryRun) printLines(stderr, [`Whatever was revoked, disabled or changed since ${created_at} is as it was then: revoke it again.`]);
  if (audit?.sound !== false) return 0;
  printLines(stderr, [`The audit log of the backup is broken at event ${audit.seq}: ${audit.reason}.`]);
  return 1;
}

/** The verdict on the log as the backup holds it. */
async function noteRestore(config: Config, { now, actor }: Context, { created_at, libretto, serial }: BackupRecord): Promise<AuditVerdict> {
  return withState(config, async (state) => {
    const verdict = await verifyAudit(state);
    const store = createAuditedStore({ store: state, now: () => now().getTime() });
    await store.commit({ conditions: [], puts: [], deletes: [] }, { actor, action: 'state.restore', subject: 'backup', details: { created_at, libretto, serial } });
    return verdict;
  });
}

async function withState<T>(config: Config, work: (state: StateStore) => Promise<T>): Promise<T> {
  const state = await openState(config);
  return work(state).finally(() => state.close());
}
