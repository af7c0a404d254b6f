// Syncs a registered Composer repository: checks that it is readable, and fetches its configured packages in advance.
// The sync publishes nothing; its report has the form of a build's report, for the job.

import type { BuildReport } from '../../build/contract/build-report.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { readLastPublication } from '../tree/published-tree.ts';
import { prefetch } from './prefetch.ts';
import { openMirror } from './mirror-command.ts';
import { probeRegistered } from './probe-registered.ts';

export interface MirroredSync {
  readonly config: Config;
  readonly context: Context;
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly record: RepositoryRecord;
}

export type MirroredReport = Pick<
  BuildReport,
  'serial' | 'published' | 'added' | 'changed' | 'withdrawn' | 'quarantined' | 'failed' | 'notices'
>;

const fetchesLater =
  'No packages are configured for fetching in advance: each package is fetched on its first request.';

/** `added`: archives that are here now and were not before. Throws RegistryError if the repository cannot be read. */
export async function syncMirrored({ config, context, state, sealer, record }: MirroredSync): Promise<MirroredReport> {
  const now = (): number => context.now().getTime();
  const probe = await probeRegistered(record, config, sealer, now);
  if (probe instanceof RegistryError) throw probe;
  const { mirror, others, close } = await openMirror(config, context, state, true);
  const serial = readLastPublication(config.data.value)?.serial ?? 0;
  const moment = { nowMs: now(), epoch: serial };
  try {
    const repository = (await others()).find(({ id }) => id === record.id) ?? { packages: {} };
    const { fetched, here, failures } = await prefetch(mirror, repository, () => moment);
    const isLazy = Object.keys(repository.packages).length === 0;
    const message = isLazy ? fetchesLater : `${counted(fetched.length, 'archive')} fetched, ${here} already stored.`;
    return {
      serial,
      published: false,
      added: fetched.map((one) => ({ ...one, source: record.url })),
      changed: [],
      withdrawn: [],
      quarantined: [],
      failed: failures.map((reason) => ({ source: record.url, reason })),
      notices: [{ source: record.url, message }],
    };
  } finally {
    await close();
  }
}
