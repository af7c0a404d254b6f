// The state in an LMDB file: no server, shared by every process of this host that opens the same directory, safe under
// kill -9.
//
// A commit reads its conditions and the generation from one snapshot. The write then has a single condition: the
// generation is unchanged. So any number of conditions costs one, a commit is one LMDB transaction, and the fsync
// happens off the main thread.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import { messageOf } from '../../build/shared/text/message-of.ts';
import { storageAdvice } from '../../build/contract/storage-fault.ts';
import { damagedPage, openDatabase, stateFileOf, write, type Database, type LmdbDatabase } from './lmdb-database.ts';
import { assertSchema, generationKey, nameState, quietKey, makeLmdbState } from './lmdb-schema.ts';
import { assertChange, prefixBounds } from '../core/state/state-change.ts';
import { StateError, wayBack } from '../core/state/state-error.ts';
import { newStateIdentity, type StateIdentity } from '../core/state/state-identity.ts';
import type { RangeOptions, StateChange, StateEntry, StateOpening, StateStore } from '../core/state/state-store.ts';

/** Opens the state in `directory`. Rejects with a StateError that names the remedy. */
export async function openLmdbStore(
  directory: string,
  { make, fresh }: StateOpening = newState(),
): Promise<StateStore> {
  const lmdb = await openState(directory, make ? fresh : undefined);
  const { db } = lmdb;
  const identity = await nameState(lmdb, fresh);
  let closed = false;
  // Commits of one process would only make each other fail, so they queue here; those of other processes are met by
  // trying again.
  const queue = pLimit(1);
  const generation = oncePerTick(generationsNotQuiet(db));
  const opened = (): Database => {
    if (closed) throw new StateError('STATE_CLOSED', `The state in ${directory} was closed.`);
    return db;
  };
  return {
    identity,
    get: async (key) => whole(directory, () => readEntry(opened(), key)),
    range: async (prefix, options = {}) => whole(directory, () => readRange(opened(), prefix, options)),
    commit: async (change) => {
      opened();
      assertChange(change);
      return queue(() => (opened(), commit(lmdb, change))).finally(generation.forget);
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
      await lmdb.close();
    },
  };
}

function newState(): StateOpening {
  return { make: true, fresh: newStateIdentity(randomBytes) };
}

/**
 * Copies a snapshot of the state to `target`/data.mdb while other processes write. The folder `target` must exist.
 * Rejects as openLmdbStore.
 */
export async function copyLmdbState(directory: string, target: string): Promise<StateIdentity | undefined> {
  const lmdb = await openState(directory, undefined);
  try {
    const identity = await nameState(lmdb, newStateIdentity(randomBytes));
    // compacting reads one snapshot; the other way takes the write lock, which is waited for without limit
    await lmdb.db.backup(target, true);
    return identity;
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError(
      'STATE_WRITE_FAILED',
      `The state in ${directory} could not be copied to ${target}: ${messageOf(error)}. ${storageAdvice(error)}`,
      { cause: error },
    );
  } finally {
    await lmdb.close();
  }
}

/** `makeAs`: the identity of a new state, if there is none. */
async function openState(directory: string, makeAs: StateIdentity | undefined): Promise<LmdbDatabase> {
  if (!existsSync(stateFileOf(directory))) {
    if (makeAs === undefined) throw new StateError('STATE_MISSING', `There is no state in ${directory}. ${wayBack}`);
    await makeLmdbState(directory, makeAs);
  }
  const lmdb = await openDatabase(directory);
  try {
    whole(directory, () => assertSchema(lmdb));
    return lmdb;
  } catch (error) {
    await lmdb.close();
    throw error;
  }
}

/**
 * Another process's commit is visible to lmdb only in a renewed read transaction; every read starts one (about a
 * microsecond).
 */
function readGeneration(db: Database): number {
  db.resetReadTxn();
  return db.get(generationKey) as number;
}

/** The generation of the port. The number of quiet commits is read again only after a commit. */
function generationsNotQuiet(db: Database): () => number {
  let seen = Number.NaN;
  let notQuiet = Number.NaN;
  return () => {
    const generation = readGeneration(db);
    if (generation !== seen) {
      seen = generation;
      notQuiet = generation - readQuiet(db);
    }
    return notQuiet;
  };
}

/** The value of the same snapshot as earlier reads in this turn of the event loop. */
function readQuiet(db: Database): number {
  return (db.get(quietKey) as number | undefined) ?? 0;
}

/** Throws StateError if a row is no JSON, or if lmdb finds a damaged page. */
function whole<T>(directory: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw damagedPage(directory, error) ?? error;
    throw new StateError('STATE_CORRUPT', `The state in ${directory} is damaged: a row is not JSON. ${wayBack}`, {
      cause: error,
    });
  }
}

function readEntry(db: Database, key: string): StateEntry | undefined {
  db.resetReadTxn();
  const entry = db.getEntry(key);
  return entry === undefined || key.startsWith('!')
    ? undefined
    : { key, value: entry.value, revision: entry.version ?? 0 };
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

function readConditions(db: Database, { conditions }: StateChange): { generation: number; holds: boolean } {
  const generation = readGeneration(db);
  return {
    generation,
    holds: conditions.every(({ key, revision }) => (db.getEntry(key)?.version ?? null) === revision),
  };
}

async function commit(lmdb: LmdbDatabase, change: StateChange): Promise<boolean> {
  const { db, directory } = lmdb;
  for (;;) {
    // all in one turn of the event loop, and therefore of one snapshot
    const { generation, holds } = whole(directory, () => readConditions(db, change));
    if (!holds) return false;
    if (change.puts.length + change.deletes.length === 0) return true;
    const next = generation + 1;
    const quiet = whole(directory, () => readQuiet(db));
    const done = await write(lmdb, () =>
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

interface OncePerTick<Value> {
  readonly read: () => Value;
  /** Discards the known value. */
  readonly forget: () => void;
}

/**
 * Reads a value once for all requests in one turn of the event loop. A turn ends with the sockets that were readable
 * when it began. A request that is sent after a change is read from its socket in a later turn. So an older value never
 * decides it.
 */
function oncePerTick<Value>(look: () => Value): OncePerTick<Value> {
  let known: { readonly value: Value } | undefined;
  const forget = (): void => {
    known = undefined;
  };
  return {
    read: () => {
      if (known === undefined) {
        known = { value: look() };
        setImmediate(forget);
      }
      return known.value;
    },
    forget,
  };
}
