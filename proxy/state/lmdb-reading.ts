// Reads a whole LMDB state: every page of the file, then every row as a server reads it. A damaged page can end the
// process (SIGSEGV, SIGBUS, SIGABRT), so a separate process runs this (state-reader.ts).

import { closeSync, openSync } from 'node:fs';
import { messageOf } from '../../build/shared/text/message-of.ts';
import { openForReading, stateFileOf, type Database } from './lmdb-database.ts';
import { findLmdbDamage } from './lmdb-file.ts';
import { findPageFault } from './lmdb-pages.ts';

/** Codes of errors that concern the process, or its rights. */
const ofProcess = new Set<unknown>(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'EACCES', 'EPERM']);

export type StateReading =
  | { readonly rows: number; readonly fault: null }
  | { readonly rows: null; readonly fault: string };

/** Rejects if the process may not open a file: that is no damage. */
export async function readWholeState(directory: string): Promise<StateReading> {
  try {
    const damage = await findLmdbDamage(stateFileOf(directory));
    if (damage !== undefined) return { rows: null, fault: damage };
    const { db, close } = await openForReading(directory);
    try {
      return readSnapshot(directory, db);
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && ofProcess.has(error.code)) throw error;
    return { rows: null, fault: messageOf(error) };
  }
}

function readSnapshot(directory: string, db: Database): StateReading {
  // no later commit of any process overwrites the pages of this read transaction
  const reading = db.useReadTransaction();
  try {
    const fault = pageFaultOf(stateFileOf(directory));
    return fault === undefined ? readRows(db) : { rows: null, fault };
  } finally {
    reading.done();
  }
}

function readRows(db: Database): StateReading {
  let rows = 0;
  let last = '';
  try {
    for (const { key, version } of db.getRange({ start: ' ', versions: true })) {
      if (version === undefined) return { rows: null, fault: `the row ${key} has no revision` };
      last = key;
      rows += 1;
    }
    return { rows, fault: null };
  } catch (error) {
    return {
      rows: null,
      fault: `${last === '' ? 'the first row' : `the row behind ${last}`} cannot be read (${messageOf(error)})`,
    };
  }
}

function pageFaultOf(path: string): string | undefined {
  const descriptor = openSync(path, 'r');
  try {
    return findPageFault(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
