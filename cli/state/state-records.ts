// Checks that the records of a state are records of this program and agree with each other. Pages and JSON can be
// intact while a record is not. With a bad record a token fails, a command that lists records fails, or the audit log
// proves nothing. Every check of a state therefore reads the records too.

import type { JsonValue } from '../../build/contract/json.ts';
import { readUsers } from '../../proxy/auth/user-records.ts';
import { isActiveAdmin, readRoster, type Roster } from '../../proxy/auth/user-roster.ts';
import type { UserRecord } from '../../proxy/auth/user.ts';
import { verifyAudit } from '../../proxy/state/audit.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { StateError, wayBack } from '../../proxy/core/state/state-error.ts';
import type { StateEntry, StateStore } from '../../proxy/core/state/state-store.ts';
import { stateFamilies, type Companion } from './state-families.ts';

type Rows = Pick<StateStore, 'get' | 'range'>;

const atOnce = 1000;

/**
 * Parses every record and verifies the audit log. Rejects with StateError STATE_CORRUPT, which names the kind of the
 * record and never its content.
 */
export async function assertRecords(state: Rows, outcome = ''): Promise<void> {
  const fault = (await findRecordFault(state)) ?? (await findRosterFault(state)) ?? (await findAuditFault(state));
  if (fault !== undefined)
    throw new StateError('STATE_CORRUPT', `The state is damaged: ${fault}. ${outcome}${wayBack}`);
}

/** Checks the copy in `directory`, which has no other user. */
export async function assertRecordsOfBackup(directory: string): Promise<void> {
  const state = await openLmdbStore(directory);
  await assertRecords(state, 'No backup was made. ').finally(() => state.close());
}

async function findRecordFault(state: Rows): Promise<string | undefined> {
  let after: string | undefined;
  for (;;) {
    const rows = await state.range('', { limit: atOnce, ...(after === undefined ? {} : { after }) });
    const malformed = rows.find((row) => !isRow(row));
    if (malformed !== undefined) return `a record of the kind "${kindOf(malformed.key)}" is malformed`;
    const faults = await Promise.all(rows.map((row) => findDisagreement(state, row)));
    const fault = faults.find((found) => found !== undefined);
    if (fault !== undefined) return fault;
    after = rows.at(-1)?.key;
    if (after === undefined) return undefined;
  }
}

function kindOf(key: string): string {
  return key.split('/', 1)[0] ?? '';
}

/** A family that this version does not know is a later version's. */
function isRow({ key, value }: StateEntry): boolean {
  const family = stateFamilies.get(kindOf(key));
  return family === undefined || orFalse(() => family.isRow(value, key));
}

function orFalse(holds: () => boolean): boolean {
  try {
    return holds();
  } catch (error) {
    if (error instanceof StateError) return false;
    throw error;
  }
}

/**
 * Other processes write concurrently. The disagreement counts only if the first row is unchanged after the read of the
 * second.
 */
async function findDisagreement(state: Rows, { key, value, revision }: StateEntry): Promise<string | undefined> {
  for (const companion of stateFamilies.get(kindOf(key))?.companions?.(value, key) ?? []) {
    if (agrees(companion, (await state.get(companion.key))?.value)) continue;
    if ((await state.get(key))?.revision === revision)
      return `a record of the kind "${kindOf(key)}" and its record of the kind "${kindOf(companion.key)}" do not agree`;
  }
  return undefined;
}

function agrees(companion: Companion, value: JsonValue | undefined): boolean {
  return orFalse(() => companion.agrees(value));
}

/** As `findDisagreement`: reads the users between two reads of the same roster. */
async function findRosterFault(state: Rows): Promise<string | undefined> {
  for (;;) {
    const { roster, revision } = await readRoster(state);
    const users = await readUsers(state);
    if (isRosterOf(roster, users)) return undefined;
    if ((await readRoster(state)).revision === revision)
      return 'the record of the kind "user-roster" does not agree with the users';
  }
}

function isRosterOf({ users, admins }: Roster, records: readonly UserRecord[]): boolean {
  const active = records.filter(isActiveAdmin).map(({ id }) => id);
  return users === records.length && admins.toSorted().join() === active.toSorted().join();
}

async function findAuditFault(state: Rows): Promise<string | undefined> {
  const verdict = await verifyAudit(state);
  return verdict.sound ? undefined : `its audit log is broken at event ${verdict.seq} (${verdict.reason})`;
}
