// `libretto restore --empty`: makes an empty state for a data folder without one, or with --force in place of a lost
// one. A usable state is never emptied.

import { randomBytes } from 'node:crypto';

import { makeFolder, removeEmptyFolders } from '../../../build/output/make-folder.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { StateError } from '../../../proxy/core/state/state-error.ts';
import { newStateIdentity, type StateIdentity } from '../../../proxy/core/state/state-identity.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import {
  forgetState,
  missingState,
  readRememberedState,
  rememberState,
  replacedState,
} from '../../state/remembered-state.ts';
import { assertPlace } from '../../state/open-state.ts';
import { refuseOtherServers } from '../../state/serve-lock.ts';
import { openReadOnly, placeOf, redisOf } from '../../state/state-place.ts';
import { assertRecords } from '../../state/state-records.ts';
import { assertWholeState } from '../../state/verify-state.ts';

interface Outcome {
  readonly made: boolean;
  readonly place: string;
  readonly identity: StateIdentity;
  /** the place of the damaged state; null: there was none */
  readonly set_aside: string | null;
}

/** Resolves with the exit code. */
export async function restoreEmptyState(context: Context, flags: CommandInput['flags']): Promise<number> {
  const { stdout, summary } = context;
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'state');
  const made = await makeFolder(config.data.value);
  const outcome = await init(config, context, flags['force'] === true).finally(() => removeEmptyFolders(made));
  announceNew();
  if (flags['json'] === true) printJson(stdout, outcome);
  else printLines(summary, describe(outcome));
  return 0;
}

/** Throws StateError, and UsageError if a server uses the state. */
async function init(config: Config, context: Context, force: boolean): Promise<Outcome> {
  const place = placeOf(config);
  if (force) await forgetDamagedMark(config.data.value);
  const remembered = await readRememberedState(config.data.value);
  if (!force) assertPlace(config.data.value, place, remembered);
  const known = remembered?.identity;
  const found = await identityThere(config, force);
  if (found !== undefined) {
    if (known !== undefined && known !== found && !force) throw replacedState(place.name, found, known);
    const redis = redisOf(place);
    if (known !== found || remembered?.redis !== redis)
      await rememberState(config.data.value, { identity: found, redis });
    return { made: false, place: place.name, identity: found, set_aside: null };
  }
  if (!force && (known !== undefined || place.hadState())) throw missingState(place.name, known);
  return make(config, context, known);
}

/** undefined: there is no state, or with `force` one that cannot be used. */
async function identityThere(config: Config, force: boolean): Promise<StateIdentity | undefined> {
  try {
    await assertWholeState(config);
    const state = await placeOf(config).open(openReadOnly());
    await (force ? assertRecords(state) : Promise.resolve()).finally(() => state.close());
    return state.identity;
  } catch (error) {
    const lost =
      error instanceof StateError && (error.code === 'STATE_MISSING' || (force && error.code === 'STATE_CORRUPT'));
    if (lost) return undefined;
    throw error;
  }
}

async function make(config: Config, { now, actor }: Context, replaced: StateIdentity | undefined): Promise<Outcome> {
  const place = placeOf(config);
  const servers = place.kind === 'folder' ? await refuseOtherServers(config.data.value, now) : undefined;
  const aside = await place.setAside(now()).finally(() => servers?.release());
  const state = await place.open({ make: true, fresh: newStateIdentity(randomBytes) });
  try {
    const { identity } = state;
    if (identity === undefined) throw new Error('a state was made without an identity');
    const audited = createAuditedStore({ store: state, now: () => now().getTime() });
    await audited.commit(
      { conditions: [], puts: [], deletes: [] },
      { actor, action: 'state.init', subject: identity, details: { replaced: replaced ?? null } },
    );
    await rememberState(config.data.value, { identity, redis: redisOf(place) });
    return { made: true, place: place.name, identity, set_aside: aside ?? null };
  } finally {
    await state.close();
  }
}

/** A damaged file does not identify the lost state, so it is removed. */
async function forgetDamagedMark(data: string): Promise<void> {
  await readRememberedState(data).catch((error: unknown) =>
    error instanceof StateError ? forgetState(data) : Promise.reject(error),
  );
}

function describe({ made, place, identity, set_aside: aside }: Outcome): string[] {
  if (!made) return [`The state in ${place} (${identity}) belongs to this data folder. It was not changed.`];
  return [
    `An empty state was made in ${place} (${identity}). No user and no token is in it: \`libretto token create ` +
      `--description NAME\`.`,
    ...(aside === null ? [] : [`The damaged one is kept as ${aside}.`]),
  ];
}
