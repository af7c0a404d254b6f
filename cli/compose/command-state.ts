// The way of a command to the state of its registry: finds and names the data folder, and opens the state.

import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { FolderPart } from '../data-folder/folder-rights.ts';
import { makeOrReadDataFolder, readDataFolder } from '../data-folder/open-data-folder.ts';
import type { CommandInput } from '../io/command.ts';
import type { Context } from '../io/context.ts';
import { openStateToChange } from '../state/state-to-change.ts';
import { openExistingState } from './tokens.ts';

export interface CommandState {
  readonly config: Config;
  readonly state: StateStore;
}

export interface Opening {
  readonly makes?: boolean;
  readonly changes?: boolean;
  readonly makesState?: boolean;
  readonly area?: FolderPart;
}

/**
 * `area`: the part of the data folder that the command reads. `makes`: the first commit of the command may make the
 * data folder and the state. `changes`: it changes an existing state. `makesState`: its first commit may make the state
 * in an existing data folder. Throws UsageError and StateError.
 */
export async function openCommandState(
  context: Context,
  flags: CommandInput['flags'],
  { makes = false, changes = false, makesState = false, area = 'state' }: Opening = {},
): Promise<CommandState> {
  if (makes) {
    const { config, announceNew } = await makeOrReadDataFolder(context, flags, area);
    return { config, state: await openStateToChange(config, announceNew) };
  }
  const config = await readDataFolder(context, flags, area, changes ? 'change' : 'read');
  return { config, state: await (makesState ? openStateToChange : openExistingState)(config) };
}
