// The build that reads one registered repository, or withdraws the versions of removed ones. All other sources stay as
// published.

import { RegistryError } from '../../build/contract/errors.ts';
import type { BuildRequest } from '../../build/scan/build-request.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';
import { buildRequest } from '../builds/build-request.ts';
import { composeConnectionCredentials } from '../compose/connection-credentials.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { registeredReason } from '../builds/registered-advice.ts';
import { prepareSources, sourceTexts, type RegisteredSources } from '../builds/registered-sources.ts';
import { stoppableBuild, type Stopped } from '../builds/stoppable-build.ts';

/** How long a sync waits for other builds after the fetch: the first build of a large repository may take so long. */
const waitMs = 900_000;

export interface SyncBuild {
  readonly config: Config;
  readonly context: Context;
  readonly sealer: Sealer;
  readonly state: StateStore;
  /** all repositories registered by now */
  readonly list: () => Promise<readonly RepositoryRecord[]>;
  /** the repository to read; undefined: none, and only removed repositories are withdrawn */
  readonly id: string | undefined;
}

/**
 * Throws RegistryError if the repository must not be read, and any error of a build: BuildBusy after the full wait for
 * another build.
 */
export async function syncBuild({
  config,
  context,
  sealer,
  state,
  list,
  id,
}: SyncBuild): Promise<BuildReport | Stopped> {
  const records = await list();
  if (id !== undefined && !records.some((record) => record.id === id))
    throw new RegistryError('NOT_FOUND', {
      message: `There is no repository with the id ${JSON.stringify(id.slice(0, 80))}.`,
    });
  const sync = id === undefined ? [] : [id];
  const connectionCredentials = composeConnectionCredentials(config, context, { state, sealer });
  const options = { config, environment: context.environment, sealer, connectionCredentials };
  const prepared = await prepareSources(records, options, sync);
  try {
    const report = await buildPrepared(
      prepared,
      { sync, registeredNow: async () => sourceTexts(await list()) },
      config,
      context,
    );
    const record = records.find((one) => one.id === id);
    if ('exitCode' in report || record === undefined) return report;
    const failed = report.failed.map((one) => ({ ...one, reason: registeredReason(record, one.reason) }));
    return { ...report, failed };
  } finally {
    await prepared.close();
  }
}

async function buildPrepared(
  { sources, refusals }: RegisteredSources,
  { sync, registeredNow }: Required<Pick<BuildRequest, 'sync' | 'registeredNow'>>,
  config: Config,
  context: Context,
): Promise<BuildReport | Stopped> {
  const refusal = sync.map((id) => refusals.get(id)).find((one) => one !== undefined);
  if (refusal !== undefined) throw refusal;
  const request = buildRequest(config, context, {
    command: sync.length === 0 ? 'repository withdraw' : 'repository sync',
  });
  return stoppableBuild(
    { ...request, configured: undefined, fallback: undefined, registered: sources, sync, registeredNow, waitMs },
    context,
  );
}
