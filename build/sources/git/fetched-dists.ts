// The ZIPs of the dists that versions of a git repository name. Each is fetched, checked and hosted as for an inline
// package, or its version is left out. The fetch uses no credentials, because the author of a repository chooses the
// address.

import { FetchNeeded } from '../../contract/refusals.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { createEgress, type EgressOptions } from '../../egress/egress.ts';
import { runBatch } from '../../shared/concurrency/batch.ts';
import { DistCache, distKey } from '../package/dist-cache.ts';
import type { InlineDist } from '../package/inline-record.ts';
import type { RefOutcome } from './outcome.ts';

export interface DownloadOptions extends Pick<EgressOptions, 'allowAddresses'> {
  /** absolute; the cache of fetched ZIPs. Several sources and processes may share it */
  readonly directory: string;
  readonly now: () => Date;
}

export type FetchedDists = ReturnType<typeof openFetchedDists>;

const parallelDownloads = 4;
const loginAdvice =
  'The dists of a composer.json are fetched without credentials: let the host serve it without a login, or use an ' +
  'artifact or package source.';

/** Throws BuildRefused for invalid network settings. */
export function openFetchedDists({ directory, allowAddresses = [], now }: DownloadOptions) {
  const egress = createEgress({ allowAddresses, loginAdvice });
  const cache = new DistCache(directory, egress, now);
  const missing = new Map<string, InlineDist>();
  const used = new Map<string, InlineDist>();
  return {
    /**
     * The outcome with the ZIP of its dist, or without a version. Throws FetchNeeded if `fetch` has to get the ZIP
     * first.
     */
    settle: async (outcome: RefOutcome): Promise<RefOutcome> => {
      if (outcome.kind !== 'release' || outcome.dist === undefined) return outcome;
      const { dist, folder, name, version } = outcome;
      used.set(distKey(dist), dist);
      if (dist.sha256 !== undefined) return outcome;
      const found = cache.find(dist);
      if (found === undefined) {
        missing.set(distKey(dist), dist);
        throw new FetchNeeded();
      }
      try {
        return { ...outcome, dist: { ...dist, sha256: await found } };
      } catch (error) {
        if (!(error instanceof QuarantineError)) throw error;
        const { code, message } = error;
        return { kind: 'quarantined', folder, code, message, name, version, passing: true };
      }
    },
    archive: (dist: InlineDist, sha256: string) => cache.archive(dist, sha256),
    /** Fetches what `settle` did not have, and what was lost. */
    fetch: async (): Promise<void> => {
      const wanted = [...missing.values(), ...[...used.values()].filter((dist) => cache.isLost(dist))];
      missing.clear();
      await runBatch(wanted, parallelDownloads, (dist) => cache.fetch(dist));
    },
    close: () => egress.close(),
  };
}
