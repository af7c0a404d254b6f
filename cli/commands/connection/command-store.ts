// The state and the sealer of a command about connections. A dry run works on a draft, which is dropped at its end. It
// seals with a key of its own, so that it makes neither a data folder nor a key, and opens stored credentials.

import { createSealer, type Sealer } from '../../../proxy/keys/sealer.ts';
import type { KeyRing, RingKey } from '../../../proxy/keys/key-ring.ts';
import { createDraftStore } from '../../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composeKeys } from '../../compose/keys.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { withSettingsOf } from '../../state/state-settings.ts';

export interface CommandStore {
  readonly config: Config;
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly close: () => Promise<void>;
}

/** `isDraft`: what the command changes is dropped at its end. Otherwise as openCommandState. */
export async function openCommandStore(
  context: Context,
  flags: Given['flags'],
  { isDraft, ...opening }: Opening & { readonly isDraft: boolean },
): Promise<CommandStore> {
  if (isDraft) return openDraft(context, flags);
  const { config, state } = await openCommandState(context, flags, opening);
  const { sealer } = composeKeys(config, context);
  return { config: await withSettingsOf(state, config), state, sealer, close: () => state.close() };
}

async function openDraft(context: Context, flags: Given['flags']): Promise<CommandStore> {
  const { config } = await makeOrReadDataFolder(context, flags, 'state');
  const below = (await openStateIfAny(config)) ?? createMemoryStore();
  return {
    config: await withSettingsOf(below, config),
    state: createDraftStore(below),
    sealer: createSealer(draftRing(context, composeKeys(config, context).keys), context.randomBytes),
    close: () => below.close(),
  };
}

/** Seals with a key of the dry run, and opens what the keys of this registry have sealed. */
function draftRing({ now, randomBytes }: Context, below: KeyRing): KeyRing {
  const key: RingKey = {
    purpose: 'sealing',
    number: 1,
    kid: 'draft',
    created_at: now().toISOString(),
    ends_at: null,
    material: Buffer.from(randomBytes(32)).toString('base64url'),
  };
  const find: KeyRing['find'] = (purpose, kid) => (kid === key.kid ? key : below.find(purpose, kid));
  return { current: () => key, find, list: () => [key, ...below.list()], rotate: () => key };
}
