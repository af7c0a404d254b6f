// Opens the LMDB database of a state, for writing where the disk allows it and for reading otherwise. The only file
// that imports lmdb.
//
// A process that closes a database as the last one destroys LMDB's mutexes in the lock file. A process that opens the
// database at that moment would go on with the destroyed ones, and every write of it would fail. So opening and closing
// both take the turn (write-lock.ts).

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import type { JsonValue } from '../../build/contract/json.ts';
import { storageAdvice, storageFaultOf } from '../../build/contract/storage-fault.ts';
import { findLmdbDamage } from './lmdb-file.ts';
import { StateError, wayBack } from './state-error.ts';
import { codeOf, createWriteLock, type WriteLock } from './write-lock.ts';

/** Address space, not memory or disk: the file grows as it is filled, and beyond this too. */
const mapBytes = 2 ** 30;

export type Database = RootDatabase<JsonValue, string>;

export interface LmdbDatabase {
  readonly db: Database;
  readonly directory: string;
  readonly turn: WriteLock;
  /** the reason why nothing can be written: a read-only disk; undefined where writing may work */
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
    // to open for writing is to write: lmdb begins a write transaction for it
    const refused = await turn.take().then(
      (taken) => void (release = taken),
      (error: unknown) => unlessDisk(error, directory),
    );
    const unwritable = codeOf(refused) === 'EROFS' ? refused : undefined;
    const db = openFiles(directory, unwritable !== undefined);
    return { db, directory, turn, unwritable, close: () => inTurn(turn, () => db.close()) };
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw unusableDirectory(directory, error);
  } finally {
    release?.();
  }
}

/** STATE_UNUSABLE, with what to do: about a disk that is full or read-only, or about the rights. */
export function unusableDirectory(directory: string, cause: unknown): StateError {
  const advice =
    storageFaultOf(cause) === undefined ? 'It must be a directory this user may read and write.' : storageAdvice(cause);
  return new StateError(
    'STATE_UNUSABLE',
    `The state directory ${directory} cannot be used: ${reasonOf(cause)}. ${advice}`,
    { cause },
  );
}

/** Opens the existing database, and writes nothing but the reader's mark. Rejects with the errors of lmdb. */
export async function openForReading(directory: string): Promise<Pick<LmdbDatabase, 'db' | 'close'>> {
  const turn = createWriteLock(join(directory, 'turn'));
  const db = await inTurn(turn, () => openFiles(directory, true));
  return { db, close: () => inTurn(turn, () => db.close()) };
}

/** Without the turn where no file can be made, or where a stopped process holds the turn: reading and ending need none. */
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
    // without this lmdb holds a promise of its own that nobody can catch when a disk is full
    eventTurnBatching: false,
    mapSize: mapBytes,
  });
}

/** Writes, as one transaction. lmdb says why it failed in a promise of its own, `commitError`. */
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
    const cause = await Promise.resolve((error as { commitError?: Promise<unknown> }).commitError).then(
      () => error,
      (why: unknown) => why,
    );
    throw new StateError(
      'STATE_WRITE_FAILED',
      `The state in ${directory} could not be written, and nothing was changed: ${reasonOf(cause)}. ` +
        `${storageAdvice(cause)}`,
      { cause },
    );
  } finally {
    release?.();
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
