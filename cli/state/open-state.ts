// Opens the state of a registry. A data folder has one state: a missing state, and another state in its place, are
// refused (remembered-state.ts).

import { randomBytes } from 'node:crypto';

import { makeFolder } from '../../build/output/make-folder.ts';
import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import { StorageError } from '../../build/output/storage-error.ts';
import type { StateNotice } from '../../proxy/state/redis-reach.ts';
import { StateError, wayBack } from '../../proxy/core/state/state-error.ts';
import { newStateIdentity } from '../../proxy/core/state/state-identity.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import {
  missingState,
  readRememberedState,
  rememberState,
  replacedState,
  stateElsewhere,
  type RememberedState,
} from './remembered-state.ts';
import { placeOf, redisOf, sharedPlace, type StatePlace } from './state-place.ts';
import { UsageError } from '../io/usage-error.ts';

/** Opens the state, and creates the first one. Rejects with UsageError or StateError. */
export async function openState(config: Config): Promise<StateStore> {
  return openOrMake(config, placeOf(config));
}

/** undefined if there has never been a state; creates nothing. */
export async function openStateIfAny(config: Config): Promise<StateStore | undefined> {
  return openRemembered(config, placeOf(config), false);
}

/** What `work` gives with the state, which is closed afterwards; `none` if there has never been a state. */
export async function withStateIfAny<Result>(
  config: Config,
  none: Result,
  work: (state: StateStore) => Promise<Result>,
): Promise<Result> {
  const state = await openStateIfAny(config);
  return state === undefined ? none : work(state).finally(() => state.close());
}

export interface ServingState {
  readonly store: StateStore;
  /** true: the Redis of the state is unreachable, or no longer has the state */
  readonly isAway: () => boolean;
  /** While it is out of reach: how long tokens that are known are honoured still; undefined otherwise. */
  readonly graceLeftMs: () => number | undefined;
  /**
   * Lets the commands of a state in a Redis see this server; the lock of a server does so beside a state in the data
   * folder. `text`: of describeServer, asked for again and again. Resolves with the function that ends it.
   */
  readonly announce: (text: () => Promise<string>) => Promise<() => Promise<void>>;
}

/** For a server: `report` receives messages for people about a state in Redis, now and later. */
export async function openServingState(config: Config, report: (line: string) => void): Promise<ServingState> {
  const url = config.state.value;
  if (url === undefined) return inFolder(await openState(config));
  let away = false;
  const tell = settledNotices((notice) => report(describeNotice(notice, config.stateGrace.value)));
  const onNotice = (notice: StateNotice): void => {
    if (notice.state !== 'unreplicated' && notice.state !== 'reverted') away = notice.state !== 'back';
    tell(notice);
  };
  const store = await openOrMake(config, sharedPlace(config, url, onNotice));
  const fault = await store.durabilityFault();
  if (fault !== undefined) report(`The Redis of the state may lose users, tokens and revocations: ${fault}.`);
  return { store, isAway: () => away, graceLeftMs: store.graceLeftMs, announce: store.announceServer };
}

/** A Redis may come back and go several times while a replica takes its place. */
const settlingMs = 5000;

/** Tells that the Redis is back once it has stayed, and until then only once that it is away. */
function settledNotices(tell: (notice: StateNotice) => void): (notice: StateNotice) => void {
  let told: StateNotice['state'] = 'back';
  let settling: NodeJS.Timeout | undefined;
  const tellState = (notice: StateNotice): void => {
    if (notice.state !== told) tell(notice);
    told = notice.state;
  };
  return (notice) => {
    if (notice.state === 'unreplicated' || notice.state === 'reverted') return tell(notice);
    clearTimeout(settling);
    if (notice.state === 'back') settling = setTimeout(tellState, settlingMs, notice).unref();
    else tellState(notice);
  };
}

function inFolder(store: StateStore): ServingState {
  const announce = () => Promise.resolve(() => Promise.resolve());
  return { store, isAway: () => false, graceLeftMs: () => undefined, announce };
}

/** Several hosts on one state share their counts there too, unless another Redis is named for those. */
export function sharedCountersUrl({ redis, state }: Pick<Config, 'redis' | 'state'>): string | undefined {
  return redis.value ?? state.value;
}

async function openOrMake<Store extends StateStore>(config: Config, place: StatePlace<Store>): Promise<Store> {
  await makeDataFolder(config);
  const store = await openRemembered(config, place, true);
  if (store === undefined) throw missingState(place.name, undefined);
  return store;
}

/**
 * The state of this data folder: the remembered one, or the first one used with it. undefined: there has been none, and
 * none is created.
 */
async function openRemembered<Store extends StateStore>(
  { data }: Config,
  place: StatePlace<Store>,
  make: boolean,
): Promise<Store | undefined> {
  const remembered = await readRememberedState(data.value);
  assertPlace(data.value, place, remembered);
  const hadState = remembered?.identity !== undefined || place.hadState();
  if (!make && !hadState && !place.mayHaveState()) return undefined;
  const store = await place
    .open({ make: make && !hadState, fresh: newStateIdentity(randomBytes) })
    .catch((error: unknown) => {
      if (error instanceof StateError && error.code === 'STATE_MISSING') return undefined;
      throw error;
    });
  if (store === undefined && !hadState) return undefined;
  if (store === undefined) throw missingState(place.name, remembered?.identity);
  if (store.identity === undefined || store.identity === remembered?.identity) return store;
  if (remembered?.identity === undefined) {
    await rememberState(data.value, { identity: store.identity, redis: redisOf(place) });
    return store;
  }
  await store.close();
  throw replacedState(place.name, store.identity, remembered.identity);
}

/** Throws StateError for the data folder of a state in a Redis: the folder itself has none. */
export function assertPlace(
  data: string,
  { kind }: Pick<StatePlace, 'kind'>,
  remembered: RememberedState | undefined,
): void {
  if (kind === 'folder' && remembered?.redis !== undefined) throw stateElsewhere(data, remembered.redis);
}

/** Throws UsageError. */
export async function makeDataFolder({ data }: Pick<Config, 'data'>): Promise<void> {
  try {
    await makeFolder(data.value);
  } catch (error) {
    if (!(error instanceof StorageError) || storageFaultOf(error) !== undefined) throw error;
    throw new UsageError(
      `The data folder cannot be used. ${error.message} Name another folder with --data, or repair this one.`,
      { cause: error },
    );
  }
}

function describeNotice(notice: StateNotice, graceSeconds: number): string {
  if (notice.state === 'back') return 'The Redis of the state is back.';
  if (notice.state === 'emptied' || notice.state === 'replaced')
    return `The state is gone: ${notice.reason}. Requests are refused until it is restored.`;
  if (notice.state === 'damaged')
    return `The state is damaged: ${notice.reason}. Requests are refused until the state is repaired. ${wayBack}`;
  if (notice.state === 'reverted')
    return (
      `The Redis of the state came back without its last changes, ${notice.reason} at least. A token revoked in ` +
      `that time is valid again. Compare \`libretto token list\` and \`libretto audit list\` with your changes, ` +
      'and repeat the lost ones.'
    );
  if (notice.state === 'unreplicated')
    return (
      `The changes of the state are in one Redis only: ${notice.reason}. If that Redis is lost, the ` +
      `changes are lost.`
    );
  return (
    `The Redis of the state cannot be used (${notice.reason}). Known tokens stay valid for ${graceSeconds} more ` +
    `seconds; changes fail.`
  );
}
