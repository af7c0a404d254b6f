// Makes an LMDB state. The state gets its name after it is complete and on the disk. A process that is killed before
// leaves no file that seems a damaged state.

import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../build/shared/files/sync-folder.ts';
import { openDatabase, stateFileOf, unusableDirectory } from './lmdb-database.ts';
import { writeSchema } from './lmdb-schema.ts';
import { StateError } from '../core/state/state-error.ts';
import type { StateIdentity } from '../core/state/state-identity.ts';
import { codeOf } from './write-lock.ts';

const draftPrefix = '.new-';
/** Making a state takes far less: an older draft was left by a killed process. */
const draftAgeMs = 60_000;

/** Makes the state in `directory` (0700), unless another process was faster. Rejects with StateError. */
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
  await writeSchema(lmdb, identity).finally(() => lmdb.close());
}

async function removeOldDrafts(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((entry) => entry.startsWith(draftPrefix))) {
    const path = join(directory, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && Date.now() - facts.mtimeMs > draftAgeMs)
      await rm(path, { recursive: true, force: true });
  }
}
