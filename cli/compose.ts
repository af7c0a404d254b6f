// The composition root for what keeps state: Config → the services commands use. Nothing else decides which implementation stands behind a port.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '../build/output/make-folder.ts';
import { StorageError } from '../build/output/storage-error.ts';
import { createTokens, type Tokens } from '../proxy/auth/tokens.ts';
import { createAuditedStore } from '../proxy/state/audit.ts';
import { openLmdbStore } from '../proxy/state/lmdb-store.ts';
import { createMemoryStore } from '../proxy/state/memory-store.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { UsageError } from './usage-error.ts';

export async function openState(config: Config): Promise<StateStore> {
  try {
    await makeFolder(config.data.value);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new UsageError(`The data folder cannot be used. ${error.message}. Name another one with --data, or mend this one.`, { cause: error });
  }
  return openLmdbStore(stateDirectory(config));
}

/** As openState, but a state that does not exist is an empty one and stays so: a mistyped --data must not make folders. */
export async function openExistingState(config: Config): Promise<StateStore> {
  return existsSync(stateDirectory(config)) ? openState(config) : createMemoryStore();
}

function stateDirectory(config: Config): string {
  return join(config.data.value, 'state');
}

/** The tokens, with the person at this command line as the one who acts. */
export function composeTokens(store: StateStore, { now, randomBytes, actor }: Context): Tokens {
  const nowMs = (): number => now().getTime();
  return createTokens({ store: createAuditedStore({ store, now: nowMs }), now: nowMs, randomBytes, actor });
}
