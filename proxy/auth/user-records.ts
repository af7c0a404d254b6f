// Reading users from the state and changing them there. Every change is conditional on the record that it is based on.
// It is also conditional on the roster, if the number of users or active admins changes. Each change is one commit with
// its audit event (I8).

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { AuditDraft, AuditedStore } from '../state/audit.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { changedPasskeyRows } from './passkey.ts';
import { isActiveAdmin, readRoster, rosterAfter, withRoster } from './user-roster.ts';
import { endedIdentityKeys } from './user-identity.ts';
import {
  invitationKey,
  parseUserPointer,
  parseUserRecord,
  userEmailKey,
  userKey,
  userKeyPrefix,
  type UserRecord,
} from './user.ts';
import { parseUserId } from '../core/tokens/person.ts';
import { listRows, type Stored } from '../state/rows.ts';

type Reader = Pick<StateStore, 'get' | 'range'>;

export type StoredUser = Stored<UserRecord>;

export async function readUser(store: Pick<StateStore, 'get'>, id: string): Promise<StoredUser | undefined> {
  const known = parseUserId(id);
  const entry = known === undefined ? undefined : await store.get(userKey(known));
  return entry === undefined ? undefined : { record: parseUserRecord(entry.value), revision: entry.revision };
}

export async function readUserByEmail(store: Pick<StateStore, 'get'>, email: string): Promise<StoredUser | undefined> {
  return readUserBehind(store, userEmailKey(email));
}

/** The user that the row of an email or of an invitation leads to. Rejects with StateError if that row is malformed. */
export async function readUserBehind(store: Pick<StateStore, 'get'>, key: string): Promise<StoredUser | undefined> {
  const entry = await store.get(key);
  return entry === undefined ? undefined : readUser(store, parseUserPointer(entry.value));
}

/** Oldest first. */
export async function readUsers(store: Pick<Reader, 'range'>): Promise<UserRecord[]> {
  return (await listRows(store, userKeyPrefix, parseUserRecord)).map(({ record }) => record);
}

/** The rows of other parts in the same commit: those that must be unchanged, and those that are written. */
export type UserEditExtras = Partial<Omit<StateChange, 'quiet'>>;

export interface UserEdit extends UserEditExtras {
  /** undefined: the change removes the user */
  readonly record: UserRecord | undefined;
  readonly event: AuditDraft;
}

/**
 * Makes one attempt: false if another request changed the user or the roster since `stored` was read. Throws
 * LAST_ADMIN.
 */
export async function commitUser(
  store: AuditedStore,
  stored: StoredUser,
  { record, event, puts = [], deletes = [], conditions = [] }: UserEdit,
): Promise<boolean> {
  const { record: before, revision } = stored;
  const key = userKey(before.id);
  const { added, removed } = changedPasskeyRows(before.passkeys ?? [], record?.passkeys ?? []);
  const change = {
    conditions: [{ key, revision }, ...added.map((row) => ({ key: row, revision: null })), ...conditions],
    puts: [
      ...(record === undefined ? [] : [{ key, value: jsonOf(record) }]),
      ...added.map((row) => ({ key: row, value: before.id })),
      ...puts,
    ],
    deletes: [
      ...(record === undefined ? [key, userEmailKey(before.email)] : []),
      ...endedInvitation(before, record),
      ...endedIdentityKeys(before.identities, record?.identities),
      ...removed,
      ...deletes,
    ],
  };
  if (record !== undefined && isActiveAdmin(before) === isActiveAdmin(record)) return store.commit(change, event);
  const { roster, revision: rosterRevision } = await readRoster(store);
  const after = rosterAfter(roster, before, record);
  if (isActiveAdmin(before) && after.admins.length === 0) throw new RegistryError('LAST_ADMIN');
  return store.commit(withRoster(change, after, rosterRevision), event);
}

/** The row of an invitation goes with the change of its user that ends it. */
function endedInvitation({ invitation }: UserRecord, after: UserRecord | undefined): string[] {
  return invitation === null || after?.invitation?.hash === invitation.hash ? [] : [invitationKey(invitation.hash)];
}

/**
 * Reads, edits and commits; starts again after a concurrent commit. Throws NOT_FOUND, LAST_ADMIN, and the errors of
 * `edit`. An edit that returns undefined changes nothing.
 */
export async function changeUser(
  store: AuditedStore,
  id: string,
  edit: (record: UserRecord) => UserEdit | undefined | Promise<UserEdit | undefined>,
): Promise<UserRecord> {
  for (;;) {
    const stored = await readUser(store, id);
    if (stored === undefined) throw unknownUser();
    const edited = await edit(stored.record);
    if (edited === undefined) return stored.record;
    if (await commitUser(store, stored, edited)) return edited.record ?? stored.record;
  }
}

/** false: the email is taken, `onlyFirst` and a user exists, or a condition of the edit does not hold. */
export async function insertUser(
  store: AuditedStore,
  record: UserRecord,
  edit: Omit<UserEdit, 'record'>,
  onlyFirst = false,
): Promise<boolean> {
  for (;;) {
    const { roster, revision } = await readRoster(store);
    if (onlyFirst && roster.users > 0) return false;
    if ((await store.get(userEmailKey(record.email))) !== undefined) return false;
    if (!(await holds(store, edit.conditions ?? []))) return false;
    const change = {
      conditions: [
        { key: userKey(record.id), revision: null },
        { key: userEmailKey(record.email), revision: null },
        ...(edit.conditions ?? []),
      ],
      puts: [
        { key: userKey(record.id), value: jsonOf(record) },
        { key: userEmailKey(record.email), value: record.id },
        ...(edit.puts ?? []),
      ],
      deletes: edit.deletes ?? [],
    };
    if (await store.commit(withRoster(change, rosterAfter(roster, undefined, record), revision), edit.event))
      return true;
  }
}

async function holds(store: Pick<StateStore, 'get'>, conditions: StateChange['conditions']): Promise<boolean> {
  const revisions = await Promise.all(conditions.map(async ({ key }) => (await store.get(key))?.revision ?? null));
  return conditions.every(({ revision }, at) => revisions[at] === revision);
}

export function unknownUser(): RegistryError {
  return new RegistryError('NOT_FOUND', { message: 'User not found.' });
}

/** Throws StateError for a record that `readUser` would refuse: it would stop every list of users. */
function jsonOf(record: UserRecord): JsonObject {
  return parseUserRecord(structuredClone(record) as unknown as JsonObject) as unknown as JsonObject;
}
