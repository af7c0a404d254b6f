// The registered repositories for a build of everything. A data folder without a state has none; a state that cannot be read costs a build nothing but them.

import type { BuildRequest } from '../build/build.ts';
import type { BuildReport } from '../build/report.ts';
import { StateError } from '../proxy/state/state-error.ts';
import { listRepositories } from '../proxy/sync/list-repositories.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { openStateIfAny } from './open-state.ts';
import { printLines } from './output.ts';
import type { RegisteredSources } from './registered-sources.ts';
import { stoppableBuild, type Stopped } from './stoppable-build.ts';

const none = { sources: undefined, close: async (): Promise<void> => undefined };

interface RegisteredInState extends Pick<RegisteredSources, 'close'> {
  /** undefined where the state was not read: what registered repositories published then stays */
  readonly sources: RegisteredSources['sources'] | undefined;
}

/** A build that reads the registered repositories too. */
export async function buildWithRegistered(request: BuildRequest, config: Config, context: Context): Promise<BuildReport | Stopped> {
  const { sources, close } = await registeredInState(config, context);
  return stoppableBuild({ ...request, registered: sources }, context).finally(close);
}

/** Every build comes by here: what only registered repositories need is loaded only where there are some. */
async function registeredInState(config: Config, context: Context): Promise<RegisteredInState> {
  try {
    const state = await openStateIfAny(config);
    if (state === undefined) return none;
    const records = await listRepositories(state).finally(() => state.close());
    if (records.length === 0) return { ...none, sources: [] };
    const [{ composeKeys }, { prepareSources }] = await Promise.all([import('./compose-keys.ts'), import('./registered-sources.ts')]);
    return await prepareSources(records, { config, environment: context.environment, sealer: composeKeys(config, context).sealer });
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    printLines(context.stderr, [`Registered repositories are not built: ${error.message}`]);
    return none;
  }
}
