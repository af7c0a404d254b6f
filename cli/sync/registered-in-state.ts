// The registered repositories for a build of everything. A data folder without a state has none. If the state cannot be
// read, the build continues without them.

import type { BuildRequest } from '../../build/scan/build-request.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { listRepositories } from '../../proxy/sync/list-repositories.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { isLost } from '../state/lost-state.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { printWarnings } from '../io/output.ts';
import type { RegisteredSources } from '../builds/registered-sources.ts';
import type { SourceEntry } from '../config/source-shape.ts';
import { stoppableBuild, type Stopped } from '../builds/stoppable-build.ts';

interface RegisteredInState extends Pick<RegisteredSources, 'close'> {
  /** undefined if the state was not read: versions of registered repositories then stay as published */
  readonly sources: RegisteredSources['sources'] | undefined;
  /** the mirrored repositories: other registered Composer repositories, or only the public registry */
  readonly mirrors: 'others' | 'the public registry' | 'nothing';
  /** true: packages of them are to be prefetched */
  readonly bringsAhead: boolean;
}

const none: RegisteredInState = {
  sources: undefined,
  mirrors: 'nothing',
  bringsAhead: false,
  close: async (): Promise<void> => undefined,
};

/** A build that reads the registered repositories too. `onBuilt`: called before anything is prefetched. */
export async function buildWithRegistered(
  request: BuildRequest,
  config: Config,
  context: Context,
  onBuilt: () => void = () => undefined,
): Promise<BuildReport | Stopped> {
  const { sources, mirrors, bringsAhead, close } = await registeredInState(config, context);
  const mayBeEmpty =
    request.mayBeEmpty === true ||
    mirrors === 'others' ||
    (mirrors === 'the public registry' && request.fallback === undefined);
  const registeredNow = async (): Promise<readonly string[]> =>
    (await registeredSources(config)) ?? (sources ?? []).map(({ source }) => source);
  const report = await stoppableBuild({ ...request, registered: sources, registeredNow, mayBeEmpty }, context).finally(
    close,
  );
  onBuilt();
  if (
    'exitCode' in report ||
    request.only !== undefined ||
    (!bringsAhead && !config.sources.value.some(isFetchedAhead))
  )
    return report;
  return (await import('../mirror/prefetch-after-build.ts')).prefetchAfterBuild(report, config, context);
}

function isFetchedAhead({ source }: SourceEntry): boolean {
  return typeof source !== 'string' && 'composer' in source && source.composer.packages !== undefined;
}

/**
 * undefined if the state no longer exists. Throws StateError: without the current registrations, a build would withdraw
 * or publish wrong versions.
 */
async function registeredSources(config: Config): Promise<readonly string[] | undefined> {
  const state = await openStateIfAny(config);
  if (state === undefined) return undefined;
  const records = await listRepositories(state).finally(() => state.close());
  return records.length === 0 ? [] : (await import('../builds/registered-sources.ts')).sourceTexts(records);
}

/** Every build runs this: the modules for registered repositories are loaded only if there are any. */
async function registeredInState(config: Config, context: Context): Promise<RegisteredInState> {
  try {
    const state = await openStateIfAny(config);
    if (state === undefined) return none;
    return await registeredIn(state, config, context).finally(() => state.close());
  } catch (error) {
    if (!isLost(error)) throw error;
    printWarnings(context.stderr, [`Registered repositories are not built: ${error.message}`]);
    return none;
  }
}

async function registeredIn(state: StateStore, config: Config, context: Context): Promise<RegisteredInState> {
  const [records, settings] = await Promise.all([listRepositories(state), readStoredSettings(state)]);
  const mirrors = settings.get('mirroring.enabled')?.value === true ? 'the public registry' : 'nothing';
  if (records.length === 0) return { ...none, sources: [], mirrors };
  const [{ composeKeys }, { prepareSources }, { composeConnectionCredentials }] = await Promise.all([
    import('../compose/keys.ts'),
    import('../builds/registered-sources.ts'),
    import('../compose/connection-credentials.ts'),
  ]);
  const { sealer } = composeKeys(config, context);
  const composer = records.filter(({ type }) => type === 'composer');
  const bringsAhead = composer.some(({ filters }) => filters.packages !== undefined);
  return {
    ...(await prepareSources(records, {
      config,
      environment: context.environment,
      sealer,
      connectionCredentials: composeConnectionCredentials(config, context, { state, sealer }),
    })),
    mirrors: composer.length > 0 ? 'others' : mirrors,
    bringsAhead,
  };
}
