// Metrics of a server as the server sees them: counted, and served on an address of their own (compose-metrics.ts).

import type { Family } from '../../proxy/observe/metrics-text.ts';
import type { RequestCounts } from '../../proxy/observe/metrics.ts';
import type { ServedTree } from '../tree/served-tree.ts';

export interface Metrics {
  /** undefined: nobody asks for metrics */
  readonly counts: RequestCounts | undefined;
  /** What this process counted and is, once `listen` was called. */
  readonly own: () => Promise<readonly Family[]>;
  /**
   * Throws UsageError where the address cannot be had. Resolves with it; undefined: there is none, or the primary of
   * several workers has it.
   */
  readonly listen: (facts: ServingFacts) => Promise<{ readonly host: string; readonly port: number } | undefined>;
  readonly close: () => Promise<void>;
}

export interface ServingFacts {
  readonly connections: () => number;
  readonly degraded: () => boolean;
  readonly stateAway: () => boolean;
  /** of the mirror; undefined: there is none */
  readonly mirror?: (() => readonly Family[]) | undefined;
  readonly tree: Pick<ServedTree, 'files' | 'isElsewhere' | 'publication'>;
  readonly onError: (error: unknown) => void;
}

export const noMetrics: Metrics = {
  counts: undefined,
  own: async () => [],
  listen: async () => undefined,
  close: async () => undefined,
};
