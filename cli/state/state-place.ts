// The two places a state can be in: the data folder, and a Redis that several hosts share. The store of a place is
// loaded only for that place.

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describeRedisUrl } from '../../proxy/core/redis/redis-address.ts';
import type { RedisStore } from '../../proxy/state/redis-store.ts';
import type { StateNotice } from '../../proxy/state/redis-reach.ts';
import { StateError } from '../../proxy/core/state/state-error.ts';
import { newStateIdentity } from '../../proxy/core/state/state-identity.ts';
import type { StateOpening, StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import { setAsideState } from './set-aside-state.ts';

export interface StatePlace<Store extends StateStore = StateStore> {
  readonly kind: 'folder' | 'redis';
  /** for people: the folder, or the Redis without its password */
  readonly name: string;
  /** True if this place shows that there has been a state: a lock file without its data file. */
  readonly hadState: () => boolean;
  /**
   * False if this place proves, without a look into the store, that there is no state. A build without one loads no
   * store.
   */
  readonly mayHaveState: () => boolean;
  /** Loads the store's module and opens nothing. */
  readonly load: () => Promise<unknown>;
  /** Rejects with a StateError; with STATE_MISSING if there is no state and none may be created. */
  readonly open: (opening?: StateOpening) => Promise<Store>;
  /**
   * Makes room for another state. Returns the new place of the former state; undefined: there was none. No process may
   * have a state in a folder open.
   */
  readonly setAside: (now: Date) => Promise<string | undefined>;
}

type Placing = Pick<Config, 'data' | 'state' | 'stateGrace'>;

export function placeOf(config: Placing): StatePlace {
  return config.state.value === undefined ? localPlace(config) : sharedPlace(config, config.state.value);
}

/** For people: the Redis of the state, without its password; undefined: the state is in the data folder. */
export function redisOf({ kind, name }: Pick<StatePlace, 'kind' | 'name'>): string | undefined {
  return kind === 'redis' ? name : undefined;
}

/** Opens an existing state, and creates none. */
export function openReadOnly(): StateOpening {
  return { make: false, fresh: newStateIdentity(randomBytes) };
}

/** The folder of a state that is in the data folder. */
export function stateDirectory({ data }: Pick<Config, 'data'>): string {
  return join(data.value, 'state');
}

/** True if the data folder has, or had, a state of its own. */
export function hasLocalState({ data }: Pick<Config, 'data'>): boolean {
  const directory = stateDirectory({ data });
  return isThere(join(directory, 'lock.mdb')) || isThere(join(directory, 'data.mdb'));
}

const loadLmdbStore = (): Promise<typeof import('../../proxy/state/lmdb-store.ts')> =>
  import('../../proxy/state/lmdb-store.ts');
const loadRedisStore = (): Promise<typeof import('../../proxy/state/redis-store.ts')> =>
  import('../../proxy/state/redis-store.ts');

function localPlace(config: Placing): StatePlace {
  const directory = stateDirectory(config);
  return {
    kind: 'folder',
    name: directory,
    hadState: () => isThere(join(directory, 'lock.mdb')),
    mayHaveState: () => isThere(join(directory, 'data.mdb')),
    load: loadLmdbStore,
    open: async (opening) => (await loadLmdbStore()).openLmdbStore(directory, opening),
    setAside: (now) => setAsideState(directory, now),
  };
}

/** Throws StateError for a state of another user: such a state is never taken for a missing one. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EACCES' && code !== 'EPERM') return false;
    throw new StateError(
      'STATE_UNUSABLE',
      `This user may not read ${dirname(path)}. Run the command as the user that owns the data folder.`,
      { cause: error },
    );
  }
}

/** `notice` receives outages. */
export function sharedPlace(
  { stateGrace }: Placing,
  url: string,
  notice: (notice: StateNotice) => void = () => undefined,
): StatePlace<RedisStore> {
  return {
    kind: 'redis',
    name: describeRedisUrl(url),
    hadState: () => false,
    mayHaveState: () => true,
    load: loadRedisStore,
    open: async (opening) => {
      const { openRedisStore } = await loadRedisStore();
      return openRedisStore({
        url,
        graceMs: stateGrace.value * 1000,
        notice,
        monotonicMs: () => performance.now(),
        ...(opening && { opening }),
      });
    },
    setAside: async (now) => {
      const aside = await (await import('../../proxy/state/redis-opening.ts')).setRedisStateAside(url, now);
      return aside === undefined ? undefined : `the keys ${aside}* of ${describeRedisUrl(url)}`;
    },
  };
}
