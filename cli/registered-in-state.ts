// The registered repositories for a build of everything. A data folder without a state has none; a state that cannot be read costs a build nothing but them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { printLines } from './output.ts';
import type { RegisteredSources } from './registered-sources.ts';

const none = { sources: undefined, close: async (): Promise<void> => undefined };

export interface RegisteredInState extends Pick<RegisteredSources, 'close'> {
  /** undefined where the state was not read: what registered repositories published then stays */
  readonly sources: RegisteredSources['sources'] | undefined;
}

export async function registeredInState(config: Config, context: Context): Promise<RegisteredInState> {
  if (!existsSync(join(config.data.value, 'state', 'data.mdb'))) return none;
  const [{ openState }, { composeKeys }, { listRepositories }, { prepareSources }, { StateError }] = await Promise.all([
    import('./compose.ts'), import('./compose-people.ts'), import('../proxy/sync/repositories.ts'), import('./registered-sources.ts'), import('../proxy/state/state-error.ts'),
  ]);
  try {
    const state = await openState(config);
    const records = await listRepositories(state).finally(() => state.close());
    return await prepareSources(records, { config, environment: context.environment, sealer: composeKeys(config, context).sealer });
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    printLines(context.stderr, [`Registered repositories are not built: ${error.message}`]);
    return none;
  }
}
