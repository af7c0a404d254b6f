// The state and the sealer of a dry run about connections. It works on a draft, which is dropped at its end. It seals
// with a key of its own, so that it makes neither a data folder nor a key, and opens stored credentials.

import type { KeyRing, RingKey } from '../../../proxy/keys/key-ring.ts';
import { createDraftStore } from '../../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../../proxy/core/state/memory-store.ts';
import type { CommandState } from '../../compose/command-state.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { openStateIfAny } from '../../state/open-state.ts';

export async function openDraft(context: Context, flags: CommandInput['flags']): Promise<CommandState> {
  const { config } = await makeOrReadDataFolder(context, flags, 'state');
  const below = (await openStateIfAny(config)) ?? createMemoryStore();
  return { config, state: { ...createDraftStore(below), close: () => below.close() } };
}

/** Seals with a key of the dry run, and opens what the keys of this registry have sealed. */
export function draftRing({ now, randomBytes }: Context, below: KeyRing): KeyRing {
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
