// The own rows of the LMDB store, which sort below every key of the port (state-change.ts). LMDB's version of each
// value is the revision of the port.

import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  write,
  type Database,
  type LmdbDatabase,
  openDatabase,
  stateFileOf,
  unusableDirectory,
} from './lmdb-database.ts';
import { damagedState, malformedFacts, StateError, unreadableSchema } from '../core/state/state-error.ts';
import { parseStateIdentity, type StateIdentity } from '../core/state/state-identity.ts';
import { syncFolder } from '../../build/shared/files/sync-folder.ts';
import { codeOf } from './write-lock.ts';

/** Incremented when an older version could no longer understand the stored rows. */
export const stateSchema = 1;

export const generationKey = '!generation';
/**
 * The number of quiet commits: the generation of the port is the number of all others. A version without quiet commits
 * notifies all processes of each of its commits.
 */
export const quietKey = '!quiet';
const schemaKey = '!schema';
const identityKey = '!identity';

/** Throws StateError if this version cannot read it. */
export function assertSchema({ db, directory }: Pick<LmdbDatabase, 'db' | 'directory'>): void {
  db.resetReadTxn();
  const schema = db.get(schemaKey);
  if (schema === stateSchema) return assertOwnRows(db, directory);
  throw unreadableSchema(directory, typeof schema === 'number' ? schema : undefined, stateSchema);
}

/** The other rows of the store's own. An older version wrote no identity, and no count of quiet commits. */
function assertOwnRows(db: Database, directory: string): void {
  const [generation, quiet = 0, identity] = [db.get(generationKey), db.get(quietKey), db.get(identityKey)];
  const isSound =
    Number.isSafeInteger(generation) &&
    Number.isSafeInteger(quiet) &&
    (identity === undefined || parseStateIdentity(identity) !== undefined);
  if (!isSound) throw damagedState(directory, malformedFacts);
}

/**
 * The identity of the state. A state of an older version gets the identity `fresh`; if it cannot be written, it has
 * none for now.
 */
export async function nameState(lmdb: LmdbDatabase, fresh: StateIdentity): Promise<StateIdentity | undefined> {
  const { db } = lmdb;
  const read = (): StateIdentity | undefined => {
    db.resetReadTxn();
    return parseStateIdentity(db.get(identityKey));
  };
  const found = read();
  if (found !== undefined || lmdb.unwritable !== undefined) return found;
  try {
    await write(lmdb, () => db.ifNoExists(identityKey, () => void db.put(identityKey, fresh, 1)));
  } catch (error) {
    if (!(error instanceof StateError && error.code === 'STATE_WRITE_FAILED')) throw error;
  }
  return read();
}

const draftPrefix = '.new-';
/** Making a state takes far less: an older draft was left by a killed process. */
const draftAgeMs = 60_000;

/**
 * Makes the state in `directory` (0700), unless another process was faster. The state gets its name after it is complete
 * and on the disk. A process that is killed before leaves no file that seems a damaged state. Rejects with StateError.
 */
export async function makeLmdbState(directory: string, identity: StateIdentity): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await removeOldDrafts(directory);
    const draft = join(directory, `${draftPrefix}${randomUUID()}`);
    await mkdir(draft, { mode: 0o700 });
    await makeDraft(draft, identity)
      .then(() => link(stateFileOf(draft), stateFileOf(directory)))
      .catch((error: unknown) => (codeOf(error) === 'EEXIST' ? undefined : Promise.reject(error)))
      .finally(() => rm(draft, { recursive: true, force: true }));
    await syncFolder(directory);
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw unusableDirectory(directory, error);
  }
}

async function makeDraft(draft: string, identity: StateIdentity): Promise<void> {
  const lmdb = await openDatabase(draft);
  const { db } = lmdb;
  const writeSchema = (): Promise<boolean> =>
    db.ifNoExists(generationKey, () => {
      void db.put(generationKey, 1, 1);
      void db.put(schemaKey, stateSchema, 1);
      void db.put(identityKey, identity, 1);
    });
  await write(lmdb, writeSchema).finally(() => lmdb.close());
}

async function removeOldDrafts(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((entry) => entry.startsWith(draftPrefix))) {
    const path = join(directory, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && Date.now() - facts.mtimeMs > draftAgeMs)
      await rm(path, { recursive: true, force: true });
  }
}
