// The state in an LMDB file: no server, shared by every process of this host that opens the same directory, safe under kill -9. The only
// file that imports lmdb.
//
// A commit takes its conditions and the generation from one snapshot, and is then written under the single condition that the generation
// has not moved. So any number of conditions costs one, a commit is one LMDB transaction, and the fsync happens off the main thread.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import pLimit from 'p-limit';
import type { JsonValue } from '../../build/contract/json.ts';
import { findLmdbDamage } from './lmdb-file.ts';
import { onceATurn } from './once-a-turn.ts';
import { assertChange, prefixBounds } from './state-change.ts';
import { StateError } from './state-error.ts';
import type { RangeOptions, StateChange, StateEntry, StateStore } from './state-store.ts';
import { createWriteTurn, type WriteTurn } from './write-turn.ts';

/** Rises when an older version could no longer understand what is stored. */
export const stateSchema = 1;

/** The store's own rows sort below every key of the port (state-change.ts). The version LMDB keeps beside each value is our revision. */
const generationKey = '!generation';
/** How many of the commits were quiet: the generation of the port is what is left. A version that knows of none tells all processes of each of its commits. */
const quietKey = '!quiet';
const schemaKey = '!schema';

/** Address space, not memory or disk: the file grows as it is filled, and beyond this too. */
const mapBytes = 2 ** 30;

type Database = RootDatabase<JsonValue, string>;

/** Opens the state in `directory`, which is made (0700) when missing. Rejects with a StateError that says what to do. */
export async function openLmdbStore(directory: string): Promise<StateStore> {
  const turn = createWriteTurn(join(directory, 'turn'));
  const db = await openDatabase(directory, turn);
  try {
    await prepareSchema(db, directory, turn);
  } catch (error) {
    await db.close();
    throw error;
  }
  let closed = false;
  // Commits of one process would only make each other fail, so they queue here; those of other processes are met by trying again.
  const queue = pLimit(1);
  const generation = onceATurn(loudGenerations(db));
  const opened = (): Database => {
    if (closed) throw new StateError('STATE_CLOSED', `The state in ${directory} was closed.`);
    return db;
  };
  return {
    get: async (key) => readEntry(opened(), key),
    range: async (prefix, options = {}) => readRange(opened(), prefix, options),
    commit: async (change) => {
      opened();
      assertChange(change);
      return queue(() => commit(opened(), { directory, turn }, change)).finally(generation.forget);
    },
    generation: () => {
      opened();
      return generation.read();
    },
    close: async () => {
      if (closed) return;
      await queue(() => {
        closed = true;
      });
      await db.close();
    },
  };
}

/** Copies the state, as it is at one moment, to `target`/data.mdb while others go on writing. The folder `target` must be there. Rejects as openLmdbStore. */
export async function copyLmdbState(directory: string, target: string): Promise<void> {
  const turn = createWriteTurn(join(directory, 'turn'));
  const db = await openDatabase(directory, turn);
  try {
    await prepareSchema(db, directory, turn);
    // compacting reads one snapshot; the other way takes the write lock, which is waited for without limit
    await db.backup(target, true);
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError('STATE_WRITE_FAILED', `The state in ${directory} could not be copied to ${target}: ${reasonOf(error)}. Check the disk's free space and health.`, { cause: error });
  } finally {
    await db.close();
  }
}

async function openDatabase(directory: string, turn: WriteTurn): Promise<Database> {
  const file = join(directory, 'data.mdb');
  let release: (() => void) | undefined;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const damage = await findLmdbDamage(file);
    if (damage !== undefined) {
      throw new StateError('STATE_CORRUPT', `The state file ${file} is corrupt: ${damage}. Put a backup in its place; without one, move ${directory} away and create new tokens.`);
    }
    // to open is to write: lmdb begins a write transaction for it
    release = await turn.take();
    return open<JsonValue, string>({
      path: directory,
      noSubdir: false,
      encoding: 'json',
      useVersions: true,
      // a commit resolves after its data and then its meta page were synced, never before
      overlappingSync: false,
      // without this lmdb holds a promise of its own that nobody can catch when a disk is full
      eventTurnBatching: false,
      mapSize: mapBytes,
    });
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError('STATE_UNUSABLE', `The state directory ${directory} cannot be used: ${reasonOf(error)}. It must be a directory this user may read and write.`, { cause: error });
  } finally {
    release?.();
  }
}

async function prepareSchema(db: Database, directory: string, turn: WriteTurn): Promise<void> {
  if (!db.doesExist(generationKey)) {
    await write({ directory, turn }, () =>
      db.ifNoExists(generationKey, () => {
        void db.put(generationKey, 1, 1);
        void db.put(schemaKey, stateSchema, 1);
      }),
    );
  }
  db.resetReadTxn();
  const schema = db.get(schemaKey);
  if (schema === stateSchema) return;
  if (typeof schema === 'number' && schema > stateSchema) {
    throw new StateError('STATE_TOO_NEW', `The state in ${directory} was written by a newer version of Libretto (its schema is ${schema}, this version reads ${stateSchema}). Run that version, or move the directory away.`);
  }
  throw new StateError('STATE_CORRUPT', `The state in ${directory} names no schema this version knows. It is not Libretto's, or it is damaged: put a backup in its place.`);
}

/** Another process's commit is visible to lmdb only in a renewed read transaction; every read starts one (about a microsecond). */
function readGeneration(db: Database): number {
  db.resetReadTxn();
  return db.get(generationKey) as number;
}

/** The generation of the port. What was quiet is counted again only after a commit. */
function loudGenerations(db: Database): () => number {
  let seen = Number.NaN;
  let loud = Number.NaN;
  return () => {
    const generation = readGeneration(db);
    if (generation !== seen) {
      seen = generation;
      loud = generation - readQuiet(db);
    }
    return loud;
  };
}

/** Of the same snapshot as what was read before in this turn of the event loop. */
function readQuiet(db: Database): number {
  return (db.get(quietKey) as number | undefined) ?? 0;
}

function readEntry(db: Database, key: string): StateEntry | undefined {
  db.resetReadTxn();
  const entry = db.getEntry(key);
  return entry === undefined || key.startsWith('!') ? undefined : { key, value: entry.value, revision: entry.version ?? 0 };
}

function readRange(db: Database, prefix: string, { after, limit, reverse = false }: RangeOptions): StateEntry[] {
  const { start, end } = prefixBounds(prefix);
  const first = after === undefined || after < start ? start : after;
  const last = after === undefined || after > end ? end : after;
  db.resetReadTxn();
  const found = db.getRange({
    ...(reverse ? { start: last, end: start, inclusiveEnd: true } : { start: first, end }),
    exclusiveStart: reverse || first === after,
    reverse,
    versions: true,
    ...(limit === undefined ? {} : { limit }),
  });
  return Array.from(found, ({ key, value, version }) => ({ key, value, revision: version ?? 0 }));
}

interface Place {
  readonly directory: string;
  readonly turn: WriteTurn;
}

async function commit(db: Database, place: Place, change: StateChange): Promise<boolean> {
  for (;;) {
    // all in one turn of the event loop, hence of one snapshot
    const generation = readGeneration(db);
    if (!change.conditions.every(({ key, revision }) => (db.getEntry(key)?.version ?? null) === revision)) return false;
    if (change.puts.length + change.deletes.length === 0) return true;
    const next = generation + 1;
    const quiet = readQuiet(db);
    const done = await write(place, () =>
      db.ifVersion(generationKey, generation, () => {
        for (const { key, value } of change.puts) void db.put(key, value, next);
        for (const key of change.deletes) void db.remove(key);
        if (change.quiet === true) void db.put(quietKey, quiet + 1, next);
        void db.put(generationKey, next, next);
      }),
    );
    if (done) return true;
  }
}

/** lmdb says why in a promise of its own, `commitError`. */
async function write({ directory, turn }: Place, action: () => Promise<boolean>): Promise<boolean> {
  let release: (() => void) | undefined;
  try {
    release = await turn.take();
    return await action();
  } catch (error) {
    if (error instanceof StateError) throw error;
    const cause = await Promise.resolve((error as { commitError?: Promise<unknown> }).commitError).then(
      () => error,
      (why: unknown) => why,
    );
    throw new StateError('STATE_WRITE_FAILED', `The state in ${directory} could not be written, and nothing was changed: ${reasonOf(cause)}. Check the disk's free space and health.`, { cause });
  } finally {
    release?.();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
