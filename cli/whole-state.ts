// Whether all of an LMDB state can be read. A process of its own reads it: a damaged page can end that one, and is then
// known before a server, or a backup, meets it (I20).

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { StateReading } from '../proxy/state/lmdb-reading.ts';
import { StateError, wayBack } from '../proxy/state/state-error.ts';
import type { Config } from './config.ts';

/** How many rows the state in `directory` has. Rejects with StateError STATE_CORRUPT; `advice` says what to do then. */
export async function readStateWhole(directory: string, advice = wayBack): Promise<number> {
  const { rows, fault } = await readElsewhere(directory);
  if (fault === null) return rows;
  throw new StateError('STATE_CORRUPT', `The state in ${directory} is damaged: ${fault}. ${advice}`);
}

/**
 * For whoever opens the state next, and stays. A state that is not there, or in a Redis, has no pages. Rejects with
 * StateError.
 */
export async function assertWholeState({ data, state }: Pick<Config, 'data' | 'state'>): Promise<void> {
  const directory = join(data.value, 'state');
  if (state.value === undefined && existsSync(join(directory, 'data.mdb'))) await readStateWhole(directory);
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
