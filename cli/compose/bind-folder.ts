// Binds a published data folder to its state. A build makes the folder, and often comes before the state: a later
// command without --state would otherwise make another state in the folder.

import { StateError } from '../../proxy/core/state/state-error.ts';
import type { Config } from '../config/config.ts';
import { classifyFolder } from '../data-folder/data-folder-traces.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { readRememberedState, rememberState } from '../state/remembered-state.ts';
import { hasLocalState, placeOf, redisOf } from '../state/state-place.ts';

/**
 * Does nothing without a state in a Redis, and for a folder that belongs to a state already. The folder remembers the
 * Redis alone while that has no state, or cannot be reached.
 */
export async function bindFolder(config: Config): Promise<void> {
  const redis = redisOf(placeOf(config));
  const data = config.data.value;
  if (redis === undefined || classifyFolder(data) !== 'registry' || (await belongsToState(config))) return;
  const state = await openStateIfAny(config).catch(unlessUnusable); // remembers an existing state
  if (state === undefined) await rememberState(data, { identity: undefined, redis });
  await state?.close();
}

/** True for a damaged `state.json` too: the command has warned of it. */
async function belongsToState({ data }: Config): Promise<boolean> {
  const remembered = await readRememberedState(data.value).catch((error: unknown) =>
    error instanceof StateError ? 'damaged' : Promise.reject(error),
  );
  return remembered !== undefined || hasLocalState({ data });
}

function unlessUnusable(error: unknown): undefined {
  if (!(error instanceof StateError)) throw error;
}
