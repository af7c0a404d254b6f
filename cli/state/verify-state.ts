// Checks that a whole state can be read before a server or a backup relies on it (I20). A separate process reads an
// LMDB state, because a damaged page can end that process. The rows of a Redis state are parsed here.

import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { StateReading } from '../../proxy/state/lmdb-reading.ts';
import { StateError, wayBack } from '../../proxy/core/state/state-error.ts';
import type { Config } from '../config/config.ts';
import { fileLimitText } from '../io/open-files.ts';
import { openReadOnly, placeOf, type StatePlace } from './state-place.ts';

const atOnce = 1000;

/**
 * Returns the number of rows of the state in `directory`. Rejects with StateError STATE_CORRUPT, with `advice` as the
 * remedy in its message. Rejects with another error if the state could not be checked.
 */
export async function readStateWhole(directory: string, advice = wayBack): Promise<number> {
  const { rows, fault } = await readElsewhere(directory);
  if (fault === null) return rows;
  throw new StateError('STATE_CORRUPT', `The state in ${directory} is damaged: ${fault}. ${advice}`);
}

/** Checks the state for a later opener that stays open. A missing state counts as intact. Rejects with StateError. */
export async function assertWholeState(config: Config): Promise<void> {
  if (config.state.value !== undefined) return readSharedState(placeOf(config));
  const directory = join(config.data.value, 'state');
  if (existsSync(join(directory, 'data.mdb'))) await readStateWhole(directory);
}

/** Parses every row, a thousand at a time. */
async function readSharedState(place: StatePlace): Promise<void> {
  const state = await place.open(openReadOnly()).catch(unlessMissing);
  if (state === undefined) return;
  try {
    let after: string | undefined;
    do {
      const rows = await state.range('', { limit: atOnce, ...(after === undefined ? {} : { after }) });
      after = rows.at(-1)?.key;
    } while (after !== undefined);
  } finally {
    await state.close();
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof StateError && error.code === 'STATE_MISSING') return undefined;
  throw error;
}

function readElsewhere(directory: string): Promise<StateReading> {
  const script = fileURLToPath(new URL('state-reader.js', import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, directory], { env: {} }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as StateReading);
      else if ((error.signal === 'SIGSEGV' || error.signal === 'SIGBUS') && hasWholeAddressSpace())
        resolve({ rows: null, fault: `reading it ends the process with ${error.signal}` });
      else if (fileLimitText(error) !== undefined) reject(error);
      else reject(unchecked(directory, error, stderr));
    });
  });
}

/** With `ulimit -v`, the reader of an intact state may end like the one of a damaged state. */
function hasWholeAddressSpace(): boolean {
  const { userLimits } = process.report.getReport() as { userLimits?: { virtual_memory_kbytes?: { soft?: unknown } } };
  return typeof userLimits?.virtual_memory_kbytes?.soft !== 'number';
}

/** `error`: of a reader that did not start, or did not finish. It says nothing about the state. */
function unchecked(directory: string, error: ExecFileException, stderr: string): StateError {
  const thrown = /^\w*Error: .*$/m.exec(stderr)?.[0];
  const why = error.signal ?? thrown ?? (typeof error.code === 'string' ? error.message : `exit code ${error.code}`);
  return new StateError(
    'STATE_UNUSABLE',
    `The state in ${directory} could not be checked, because the process that reads it failed (${why}). Check the ` +
      'rights of its user and its limits of files, processes and memory (LimitNOFILE, TasksMax, MemoryMax, ulimit -v). ' +
      'Try again.',
    { cause: error },
  );
}
