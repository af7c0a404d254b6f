// The port of metrics: compose-metrics.ts counts, and serves the metrics on a separate address.

import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import type { RequestCounts } from '../../proxy/core/observe/metrics.ts';
import type { ServedTree } from '../tree/served-tree.ts';

export interface Metrics {
  /** undefined: without metrics */
  readonly counts: RequestCounts | undefined;
  /** The metrics of this process, after `listen`. */
  readonly own: () => Promise<readonly Family[]>;
  /**
   * Resolves with the address. undefined: without metrics, or in a worker, whose primary serves the metrics. Throws
   * UsageError for an address that cannot be used.
   */
  readonly listen: (facts: ServingFacts) => Promise<{ readonly host: string; readonly port: number } | undefined>;
  readonly close: () => Promise<void>;
}

export interface ServingFacts {
  readonly connections: () => number;
  readonly degraded: () => boolean;
  readonly stateAway: () => boolean;
  /** the metrics of the features */
  readonly features: () => readonly Family[];
  readonly tree: Pick<ServedTree, 'files' | 'isElsewhere' | 'publication'>;
  readonly onError: (error: unknown) => void;
}

export const noMetrics: Metrics = {
  counts: undefined,
  own: async () => [],
  listen: async () => undefined,
  close: async () => undefined,
};
