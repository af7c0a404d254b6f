// Whether the records of a state are those that the program wrote. Pages and JSON can be whole while a record is not. Then a command that lists the
// records fails, and the log of changes proves nothing. So whoever vouches for a state reads its records too.

import type { JsonValue } from '../build/contract/json.ts';
import { parseArtifactRecord } from '../proxy/artifacts/artifact.ts';
import { parseSessionRecord } from '../proxy/auth/sessions.ts';
import { parseTokenRecord } from '../proxy/auth/token.ts';
import { parseUserRecord } from '../proxy/auth/user.ts';
import { parsePurgeRecord } from '../proxy/packages/purges.ts';
import { parseWithdrawal } from '../proxy/packages/withdrawals.ts';
import { verifyAudit } from '../proxy/state/audit.ts';
import { openLmdbStore } from '../proxy/state/lmdb-store.ts';
import { StateError } from '../proxy/state/state-error.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import { parseJobRecord } from '../proxy/sync/job.ts';
import { parseRepositoryRecord } from '../proxy/sync/repository.ts';

type Rows = Pick<StateStore, 'get' | 'range'>;

/** By the family of the key. Keys of other families hold what is made anew, or what is checked where it is used. */
const parsers: ReadonlyMap<string, (value: JsonValue) => unknown> = new Map<string, (value: JsonValue) => unknown>([
  ['artifact', parseArtifactRecord],
  ['job', parseJobRecord],
  ['purge', parsePurgeRecord],
  ['repository', parseRepositoryRecord],
  ['session', parseSessionRecord],
  ['token', parseTokenRecord],
  ['user', parseUserRecord],
  ['withdrawal', parseWithdrawal],
]);

const atOnce = 1000;

/** `state init --force` alone leaves a state where it is that can be opened. */
const wayBack =
  'Restore the state of a backup: `libretto restore BACKUP --state-only`. To begin again, without the users and tokens that were in it, move its file away and run `libretto state init --force`.';

/** Parses every record and verifies the audit log. Rejects with StateError STATE_CORRUPT, which names the kind of the record and never its content. */
export async function assertRecords(state: Rows, outcome = ''): Promise<void> {
  const fault = (await findRecordFault(state)) ?? (await findAuditFault(state));
  if (fault !== undefined) throw new StateError('STATE_CORRUPT', `The state is damaged: ${fault}. ${outcome}${wayBack}`);
}

/** Of the copy in `directory`, which nobody else uses. */
export async function assertRecordsOfBackup(directory: string): Promise<void> {
  const state = await openLmdbStore(directory);
  await assertRecords(state, 'No backup was made. ').finally(() => state.close());
}

async function findRecordFault(state: Rows): Promise<string | undefined> {
  let after: string | undefined;
  for (;;) {
    const rows = await state.range('', { limit: atOnce, ...(after === undefined ? {} : { after }) });
    for (const { key, value } of rows) {
      const kind = key.split('/', 1)[0] ?? '';
      if (!canBeParsed(value, parsers.get(kind))) return `a record of the kind "${kind}" is malformed`;
    }
    after = rows.at(-1)?.key;
    if (after === undefined) return undefined;
  }
}

function canBeParsed(value: JsonValue, parse: ((value: JsonValue) => unknown) | undefined): boolean {
  try {
    parse?.(value);
    return true;
  } catch (error) {
    if (error instanceof StateError) return false;
    throw error;
  }
}

async function findAuditFault(state: Rows): Promise<string | undefined> {
  const verdict = await verifyAudit(state);
  return verdict.sound ? undefined : `its audit log is broken at event ${verdict.seq} (${verdict.reason})`;
}
