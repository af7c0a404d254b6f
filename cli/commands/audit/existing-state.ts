// The frame of the audit commands: reads the configuration and opens the state. A data folder without a state has an
// empty log.

import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { CommandInput } from '../../io/command.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';

export async function withState<Result>(
  context: Context,
  { flags }: CommandInput,
  work: (state: StateStore) => Promise<Result>,
): Promise<Result> {
  const config = await readDataFolder(context, flags, 'state');
  const state = await openExistingState(config);
  try {
    return await work(state);
  } finally {
    await state.close();
  }
}
