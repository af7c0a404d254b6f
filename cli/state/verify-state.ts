// Checks that a whole state can be read before a server or a backup relies on it (I20). A separate process reads an
// LMDB state, because a damaged page can end that process. The rows of a Redis state are parsed here.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { StateReading } from '../../proxy/state/lmdb-reading.ts';
import { StateError, wayBack } from '../../proxy/core/state/state-error.ts';
import type { Config } from '../config/config.ts';
import { lookOnly, placeOf, type StatePlace } from './state-place.ts';

const atOnce = 1000;

/**
 * Returns the number of rows of the state in `directory`. Rejects with StateError STATE_CORRUPT; `advice`: the remedy
 * in its message.
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
  const state = await place.open(lookOnly()).catch(unlessMissing);
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
  return new Promise((resolve) => {
    execFile(process.execPath, [script, directory], { env: {} }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as StateReading);
      else
        resolve({
          rows: null,
          fault:
            typeof error.signal === 'string'
              ? `reading it ends the process with ${error.signal}`
              : `it cannot be read (${error.message.split('\n', 1)[0] ?? ''})`,
        });
    });
  });
}
