// Where the state is: in the data folder, or in a Redis that several hosts share. Either store is loaded only where it is the one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '../build/output/make-folder.ts';
import { StorageError } from '../build/output/storage-error.ts';
import type { RedisStore } from '../proxy/state/redis-store.ts';
import type { StateNotice } from '../proxy/state/redis-watch.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import type { Config } from './config.ts';
import { UsageError } from './usage-error.ts';

/** The state, which is made where there is none. Rejects with UsageError or StateError. */
export async function openState(config: Config): Promise<StateStore> {
  return config.state.value === undefined ? openLocal(config) : openShared(config, config.state.value);
}

/** undefined where there is no state: nothing is made. */
export async function openStateIfAny(config: Config): Promise<StateStore | undefined> {
  if (config.state.value !== undefined) return (await import('../proxy/state/redis-store.ts')).openRedisStore(optionsOf(config, config.state.value, () => undefined), false);
  return existsSync(join(stateDirectory(config), 'data.mdb')) ? openLocal(config) : undefined;
}

export interface ServingState {
  readonly store: StateStore;
  /** the Redis of the state is out of reach, or holds none any more */
  readonly isAway: () => boolean;
  /** While it is out of reach: how long tokens that are known are honoured still; undefined otherwise. */
  readonly graceLeftMs: () => number | undefined;
}

/** For a server: `tell` hears in words what people should know of a state in Redis, now and later. */
export async function openServingState(config: Config, tell: (line: string) => void): Promise<ServingState> {
  const url = config.state.value;
  if (url === undefined) return { store: await openLocal(config), isAway: () => false, graceLeftMs: () => undefined };
  let away = false;
  const store = await openShared(config, url, (notice) => {
    if (notice.state !== 'unreplicated') away = notice.state !== 'back';
    tell(describeNotice(notice, config.stateGrace.value));
  });
  const fault = await store.durabilityFault();
  if (fault !== undefined) tell(`The Redis of the state may lose users, tokens and revocations: ${fault}.`);
  return { store, isAway: () => away, graceLeftMs: store.graceLeftMs };
}

/** Several hosts on one state share their counts there too, unless another Redis is named for those. */
export function sharedCountersUrl({ redis, state }: Pick<Config, 'redis' | 'state'>): string | undefined {
  return redis.value ?? state.value;
}

async function openLocal(config: Config): Promise<StateStore> {
  const [{ openLmdbStore }] = await Promise.all([import('../proxy/state/lmdb-store.ts'), makeDataFolder(config)]);
  return openLmdbStore(stateDirectory(config));
}

async function makeDataFolder({ data }: Config): Promise<void> {
  try {
    await makeFolder(data.value);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new UsageError(`The data folder cannot be used. ${error.message}. Name another one with --data, or mend this one.`, { cause: error });
  }
}

async function openShared(config: Config, url: string, notice: (notice: StateNotice) => void = () => undefined): Promise<RedisStore> {
  await makeDataFolder(config);
  const { openRedisStore } = await import('../proxy/state/redis-store.ts');
  return openRedisStore(optionsOf(config, url, notice));
}

function optionsOf({ stateGrace }: Config, url: string, notice: (notice: StateNotice) => void) {
  return { url, graceMs: stateGrace.value * 1000, notice, monotonicMs: () => performance.now() };
}

function stateDirectory(config: Config): string {
  return join(config.data.value, 'state');
}

function describeNotice(notice: StateNotice, graceSeconds: number): string {
  if (notice.state === 'back') return 'The Redis of the state is back.';
  if (notice.state === 'emptied') return `The state is gone: ${notice.reason}. Requests are refused until it is restored.`;
  if (notice.state === 'unreplicated') return `The state's changes are in one Redis alone: ${notice.reason}. Should that one be lost, they are lost with it.`;
  return `The Redis of the state cannot be used (${notice.reason}). Tokens that are known are honoured for ${graceSeconds} seconds more; nothing can be changed.`;
}
