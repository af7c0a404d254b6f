// The own rows of the LMDB store, which sort below every key of the port (state-change.ts). LMDB's version of each
// value is the revision of the port.

import { librettoVersion } from '../../build/contract/libretto-version.ts';
import { newerAdvice } from '../../build/contract/newer-format.ts';
import { write, type Database, type LmdbDatabase } from './lmdb-database.ts';
import { StateError, wayBack } from '../core/state/state-error.ts';
import { parseStateIdentity, type StateIdentity } from '../core/state/state-identity.ts';

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

/** Writes into a new database, which no other process has open. */
export async function writeSchema(lmdb: LmdbDatabase, identity: StateIdentity): Promise<void> {
  const { db } = lmdb;
  await write(lmdb, () =>
    db.ifNoExists(generationKey, () => {
      void db.put(generationKey, 1, 1);
      void db.put(schemaKey, stateSchema, 1);
      void db.put(identityKey, identity, 1);
    }),
  );
}

/** Throws StateError if this version cannot read it. */
export function assertSchema({ db, directory }: Pick<LmdbDatabase, 'db' | 'directory'>): void {
  db.resetReadTxn();
  const schema = db.get(schemaKey);
  if (schema === stateSchema) return assertOwnRows(db, directory);
  if (typeof schema === 'number' && schema > stateSchema) {
    throw new StateError(
      'STATE_TOO_NEW',
      `The state in ${directory} was written by a newer version of Libretto (schema ${schema}; Libretto ` +
        `${librettoVersion} reads schema ${stateSchema}). ${newerAdvice}.`,
    );
  }
  throw new StateError(
    'STATE_CORRUPT',
    `The state in ${directory} names no schema this version knows. It is not Libretto's, or it is damaged. ${wayBack}`,
  );
}

/** The other rows of the store's own. An older version wrote no identity, and no count of quiet commits. */
function assertOwnRows(db: Database, directory: string): void {
  const [generation, quiet = 0, identity] = [db.get(generationKey), db.get(quietKey), db.get(identityKey)];
  const isSound =
    Number.isSafeInteger(generation) &&
    Number.isSafeInteger(quiet) &&
    (identity === undefined || parseStateIdentity(identity) !== undefined);
  if (!isSound)
    throw new StateError(
      'STATE_CORRUPT',
      `The state in ${directory} is damaged: its identity or its generation is malformed. ${wayBack}`,
    );
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
