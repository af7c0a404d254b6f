// Opens the LMDB database of a state, for writing if the disk allows it, and otherwise for reading. The only file that
// imports lmdb.
//
// The last process that closes a database destroys LMDB's mutexes in the lock file. A process that opens the database
// at that moment would continue with the destroyed mutexes, and each of its writes would fail. Therefore opening and
// closing both take the turn (write-lock.ts).

import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import { storageAdvice, storageFaultOf } from '../../build/contract/storage-fault.ts';
import { findLmdbDamage } from './lmdb-file.ts';
import { StateError, wayBack } from '../core/state/state-error.ts';
import { codeOf, createWriteLock, type WriteLock } from './write-lock.ts';

/** Size of the address space; the file starts small, grows as needed, and may also exceed this size. */
const mapBytes = 2 ** 30;

export type Database = RootDatabase<JsonValue, string>;

export interface LmdbDatabase {
  readonly db: Database;
  readonly directory: string;
  readonly turn: WriteLock;
  /** the reason why every write fails: a read-only disk; undefined if writes may succeed */
  readonly unwritable: Error | undefined;
  readonly close: () => Promise<void>;
}

/** The file of the state in `directory`. */
export function stateFileOf(directory: string): string {
  return join(directory, 'data.mdb');
}

/**
 * Opens the existing database, or an empty one if there is no file. Rejects with a StateError that names the repair.
 */
export async function openDatabase(directory: string): Promise<LmdbDatabase> {
  const turn = createWriteLock(join(directory, 'turn'));
  let release: (() => void) | undefined;
  try {
    await refuseDamage(directory);
    // opening for writing needs the lock, because lmdb starts a write transaction for it
    const refused = await turn.take().then(
      (taken) => void (release = taken),
      (error: unknown) => unlessDisk(error, directory),
    );
    const unwritable = codeOf(refused) === 'EROFS' ? refused : undefined;
    const db = openFiles(directory, unwritable !== undefined);
    return { db, directory, turn, unwritable, close: () => inTurn(turn, () => db.close()) };
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw damagedPage(directory, error) ?? unusableDirectory(directory, error);
  } finally {
    release?.();
  }
}

/** STATE_UNUSABLE, with the remedy: for a full or read-only disk, or for missing permissions. */
export function unusableDirectory(directory: string, cause: unknown): StateError {
  const advice =
    storageFaultOf(cause) === undefined ? 'It must be a directory this user may read and write.' : storageAdvice(cause);
  return new StateError(
    'STATE_UNUSABLE',
    `The state directory ${directory} cannot be used: ${messageOf(cause)}. ${advice}`,
    { cause },
  );
}

/** Opens the existing database, and writes only the reader's mark. Rejects with the errors of lmdb. */
export async function openForReading(directory: string): Promise<Pick<LmdbDatabase, 'db' | 'close'>> {
  const turn = createWriteLock(join(directory, 'turn'));
  const db = await inTurn(turn, () => openFiles(directory, true));
  return { db, close: () => inTurn(turn, () => db.close()) };
}

/**
 * Continues without the turn if no file can be made, or if a stopped process holds the turn: reading and ending need
 * none.
 */
async function inTurn<T>(turn: WriteLock, action: () => T | Promise<T>): Promise<T> {
  const release = await turn.take().catch(() => undefined);
  try {
    return await action();
  } finally {
    release?.();
  }
}

async function refuseDamage(directory: string): Promise<void> {
  const damage = await findLmdbDamage(stateFileOf(directory));
  if (damage !== undefined) throw corrupt(directory, damage);
}

function corrupt(directory: string, damage: string): StateError {
  return new StateError('STATE_CORRUPT', `The state file ${stateFileOf(directory)} is damaged: ${damage}. ${wayBack}`);
}

/** STATE_CORRUPT for lmdb's error about a damaged page; undefined for any other error. */
export function damagedPage(directory: string, error: unknown): StateError | undefined {
  const reason = messageOf(error);
  if (!/^MDB_(CORRUPTED|PAGE_NOTFOUND|CURSOR_FULL|INVALID)/.test(reason)) return undefined;
  const message = `The state in ${directory} is damaged: ${reason}. ${wayBack}`;
  return new StateError('STATE_CORRUPT', message, { cause: error });
}

/**
 * A full disk refuses the file of the turn, and a read-only one too. Reading needs no turn, so that neither ends it.
 */
function unlessDisk(error: unknown, directory: string): Error {
  const code = codeOf(error) ?? '';
  // lmdb maps the lock file and writes into the map: on a full disk a new one would end the process (SIGBUS)
  const readable = code === 'EROFS' || (['ENOSPC', 'EDQUOT'].includes(code) && existsSync(join(directory, 'lock.mdb')));
  if (!readable || !existsSync(stateFileOf(directory))) throw error;
  return error as Error;
}

function openFiles(directory: string, readOnly: boolean): Database {
  return open<JsonValue, string>({
    path: directory,
    noSubdir: false,
    readOnly,
    encoding: 'json',
    useVersions: true,
    // a commit resolves after its data and then its meta page were synced, never before
    overlappingSync: false,
    // otherwise lmdb holds an internal promise, whose rejection on a full disk cannot be caught
    eventTurnBatching: false,
    mapSize: mapBytes,
  });
}

/** Writes one transaction. The error is in lmdb's separate promise `commitError`. */
export async function write(
  { directory, turn, unwritable }: LmdbDatabase,
  action: () => Promise<boolean>,
): Promise<boolean> {
  let release: (() => void) | undefined;
  try {
    if (unwritable !== undefined) throw unwritable;
    release = await turn.take();
    return await action();
  } catch (error) {
    if (error instanceof StateError) throw error;
    const reason = await Promise.resolve((error as { commitError?: Promise<unknown> }).commitError).then(
      () => error,
      (why: unknown) => why,
    );
    const cause = (await shortWrite(directory, reason)) ?? reason;
    const damage = damagedPage(directory, cause);
    if (damage !== undefined) throw damage;
    throw new StateError(
      'STATE_WRITE_FAILED',
      `The state in ${directory} could not be written, and nothing was changed: ${messageOf(cause)}. ` +
        `${storageAdvice(cause)}`,
      { cause },
    );
  } finally {
    release?.();
  }
}

/** With less space than this, an input/output error of LMDB is a short write. */
const nearlyFullBytes = 2 ** 20;

/**
 * LMDB reports a write that the disk took only in part as EIO, like a broken disk. On a disk without space it is
 * ENOSPC: the result is that error. undefined: the failure has another cause.
 */
async function shortWrite(directory: string, reason: unknown): Promise<Error | undefined> {
  if (!/Input\/output error|\bEIO\b/.test(messageOf(reason))) return undefined;
  const free = await statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity,
  );
  if (free >= nearlyFullBytes) return undefined;
  return Object.assign(new Error('No space left on device', { cause: reason }), { code: 'ENOSPC' });
}
