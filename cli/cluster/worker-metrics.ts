// Metrics of a server with several workers: asked of each, and served by the primary as one.

import { createMetricsListener } from '../../proxy/observe/metrics-listener.ts';
import type { Family } from '../../proxy/observe/metrics-text.ts';
import { lastingCounts, mergeMetrics } from '../../proxy/observe/merge-metrics.ts';
import { openProcessMetrics } from '../../proxy/observe/process-metrics.ts';
import { gauge, registryFamilies, servingFlags } from '../serve/compose-metrics.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { listenRefusal } from '../serve/listen-refusal.ts';
import { openServedTree } from '../tree/served-tree.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface WorkerPoolMetrics {
  /** Throws UsageError where the address cannot be had. Resolves with it; undefined: nobody asks for metrics. */
  readonly listen: (
    crew: Pick<WorkerPool, 'metrics'>,
  ) => Promise<{ readonly host: string; readonly port: number } | undefined>;
  /** What a worker counted that is gone. */
  readonly keep: (last: readonly Family[]) => void;
  readonly close: () => Promise<void>;
}

export function createWorkerPoolMetrics(
  config: Config,
  { now }: Pick<Context, 'now'>,
  onError: (error: unknown) => void,
): WorkerPoolMetrics {
  const { metrics, workers } = config;
  if (metrics.value === undefined)
    return { listen: async () => undefined, keep: () => undefined, close: async () => undefined };
  const address = metrics.value;
  const nowMs = (): number => now().getTime();
  let kept: readonly Family[] = [];
  let close = async (): Promise<void> => undefined;
  return {
    keep: (last) => {
      kept = mergeMetrics([
        { name: '', families: kept },
        { name: '', families: lastingCounts(last) },
      ]);
    },
    listen: async (crew) => {
      const running = openProcessMetrics(nowMs);
      // its workers tell of an origin that fails
      const tree = await openServedTree(config, { notice: () => undefined, onNewer: () => undefined });
      const families = async (): Promise<readonly Family[]> => {
        const said = await crew.metrics();
        const own = [
          gauge('libretto_workers', 'Workers that are to serve.', workers.value),
          gauge('libretto_workers_serving', 'Workers that serve.', said.length),
          ...registryFamilies(config, await tree.publication(), nowMs()),
          ...(await running.families()),
        ];
        return mergeMetrics(
          [...said, { name: 'gone', families: kept }, { name: 'primary', families: own }],
          servingFlags,
        );
      };
      const listener = createMetricsListener({ ...address, families, onError });
      close = async () => {
        running.close();
        tree.close();
        await listener.close();
      };
      return listener.listen().catch((error: unknown) => {
        throw listenRefusal(error, { value: address, origin: metrics.origin }, '--metrics');
      });
    },
    close: () => close(),
  };
}
